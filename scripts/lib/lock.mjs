/** A lock between processes of one machine: a file that names its holder. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 250;

/** Start time of a process, so that a reused process id is not taken for the holder. */
function startTime(pid) {
  try {
    // The name in parentheses may contain spaces; the 22nd field is the 20th after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '';
  }
}

function isRunning(holder) {
  const [pid, started] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  return startTime(pid) === started;
}

/** Puts `file` in place as the lock unless there is one. */
function tryLink(file, path) {
  try {
    linkSync(file, path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Removes the lock of a process that is gone. */
function removeIfStale(path, scratch) {
  try {
    if (isRunning(readFileSync(path, 'utf8'))) return;
    // Another waiter may have replaced the lock by now: take it away, look again, put it back.
    renameSync(path, scratch);
    if (isRunning(readFileSync(scratch, 'utf8'))) tryLink(scratch, path);
    rmSync(scratch);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

/**
 * Runs `action` while holding the lock file `path`; waits while another process holds it.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withLock(path, action) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, `${process.pid} ${startTime(process.pid)}`);
  try {
    for (let told = false; !tryLink(mine, path);) {
      removeIfStale(path, `${mine}.stale`);
      if (tryLink(mine, path)) break;
      if (!told) console.error(`waiting for another run to finish (${path})`);
      told = true;
      await sleep(POLL_MS);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await action();
  } finally {
    process.off('exit', release);
    release();
  }
}
