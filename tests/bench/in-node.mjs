/** `node in-node.mjs JOB`: runs a job in this Node; writes each result as a line of JSON. */
import { readFile } from 'node:fs/promises';
import { runJob } from './job.mjs';
import { measureWith } from './measure.mjs';

// With a Worker jax-js takes several threads, and onnxruntime-web brings one though told to use one thread.
Object.defineProperty(globalThis, 'Worker', { get: () => undefined, set() {} });

const job = JSON.parse(process.argv[2]);
if (job.cpuTime) {
  measureWith(() => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  });
}
// Other libraries print to standard output as well.
const write = (message) => process.stdout.write(`\n${job.mark}${JSON.stringify(message)}\n`);
const end = await runJob(
  job,
  (url) => readFile(new URL(url)),
  (row) => write({ row }),
);
write({ end });
// Some libraries keep the process alive.
process.exit(0);
