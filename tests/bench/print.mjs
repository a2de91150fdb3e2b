/** Results as lines of text. */

const MEGABYTE = 2 ** 20;

const percent = (share) => `${(100 * share).toFixed(0)} %`;

/** Three digits. */
const short = (number) => (number >= 100 ? number.toFixed(0) : number.toPrecision(3));

const time = (ms) => (ms < 1 ? `${short(1000 * ms)} µs` : `${short(ms)} ms`);

/** How a number stands to its goal. */
function verdict(value, goal, least = true) {
  if (goal === undefined) return '';
  const reached = least ? value >= goal : value <= goal;
  return reached ? ' ✓' : ` ✗ (goal ${goal < 1 ? percent(goal) : short(goal)})`;
}

/** Lines about one row. @param {object} row  see results/latest.json */
export function describeRow({ id, pending, bytes, goals = {}, ...row }) {
  const title = id.padEnd(28);
  if (pending) return `  ${title}   not measured: ${pending.en}`;
  if (bytes !== undefined) {
    const reached = verdict(bytes / MEGABYTE, goals.bytes / MEGABYTE, false);
    return `  ${title} ${short(bytes / MEGABYTE)} MiB${reached}`;
  }
  const { ms, ratios, share, rate, limit, ways, failures } = row;
  const own = Object.keys(ms).find((name) => !(name in ratios));
  const parts = [time(ms[own]).padStart(9) + verdict(1000 * ms[own], goals.microseconds, false)];
  if (limit) {
    const most = `${short(limit.rate)} ${limit.unit} (${limit.name})`;
    parts.push(
      `${short(rate)} of ${most}: ${percent(share.median)}${verdict(share.median, goals.share)}`,
    );
  }
  const lines = [`  ${title} ${parts.join('   ')}`];
  for (const [name, { median, low, high }] of Object.entries(ratios)) {
    const spread = `${short(low)}–${short(high)}`;
    const way = ways[name] ? `, ${ways[name]}` : '';
    lines.push(
      `    ${`${name} takes`.padEnd(24)} ${short(median)} × (${spread})${verdict(median, goals[name])}   ${time(ms[name])}${way}`,
    );
  }
  for (const [name, fault] of Object.entries(failures)) lines.push(`    ${name} failed: ${fault}`);
  return lines.join('\n');
}
