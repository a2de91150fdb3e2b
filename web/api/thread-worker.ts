/**
 * The script of a helper: a worker that runs the module on the memory of the page that started it.
 * A script of its own, without imports; the build also puts its text into `thread-pool.ts`.
 */
import type { HelperStart } from './thread-pool.js';

/** The other end of the channel to whoever started this worker. */
interface Port {
  onmessage: (event: { data: HelperStart }) => void;
  postMessage(message: string): void;
}

const port = (typeof postMessage === 'function'
  ? globalThis
  : process.getBuiltinModule('worker_threads').parentPort) as unknown as Port;

port.onmessage = ({ data }) => {
  const { module, memory, thread, stack, places } = data;
  const imports: WebAssembly.Imports = {};
  for (const { module: space, name, kind } of WebAssembly.Module.imports(module)) {
    // Helpers compute; nothing of that calls JavaScript.
    (imports[space] ??= {})[name] = kind === 'memory' ? memory : () => 0;
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  const table = Object.values(exports).find((value) => value instanceof WebAssembly.Table)!;
  const call = (place: number, argument: number): void => {
    (table.get(place) as (argument: number) => void)(argument);
  };
  call(places.setStack, stack);
  port.postMessage('ready');
  try {
    call(places.help, thread); // only returns by an error
  } finally {
    call(places.setStack, stack);
    call(places.loseHelper, thread);
  }
};
