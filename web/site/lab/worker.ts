/** A learner beside the page, so that the page stays alive. */
import { Learner } from './learner.js';
import type { Order } from './protocol.js';
import { keepRun } from './store.js';

const { port1, port2 } = new MessageChannel();
let breathed = (): void => {};
port1.onmessage = () => breathed();

const learner = new Learner({
  tell: (report) => postMessage(report),
  keep: keepRun,
  breathe: () =>
    new Promise((resolve) => {
      breathed = resolve;
      port2.postMessage(null);
    }),
});

onmessage = ({ data }: MessageEvent<Order>) => learner.hear(data);
