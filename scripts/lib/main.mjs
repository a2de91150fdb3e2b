/** What every script does when it is run from the command line. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether the module is the program, not imported by it. */
export function isMain(moduleUrl) {
  const { argv } = process;
  return argv[1] !== undefined && realpathSync(argv[1]) === realpathSync(fileURLToPath(moduleUrl));
}

/** Runs the program; an error becomes its message and exit code 1. */
export async function main(program) {
  try {
    await program();
  } catch (error) {
    console.error(`posenc: ${error.message}`);
    process.exitCode = 1;
  }
}
