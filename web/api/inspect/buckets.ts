/** The smallest distance whose bucket is the last one (T5, `_relative_position_bucket`). */
export function saturation(count: number, maxDistance: number, bidirectional: boolean): number {
  const half = bidirectional ? Math.floor(count / 2) : count;
  const exact = Math.floor(half / 2);
  const bucket = (distance: number): number =>
    Math.floor((Math.log(distance / exact) / Math.log(maxDistance / exact)) * (half - exact));
  let distance = Math.max(exact, 1);
  while (distance < maxDistance && bucket(distance) < half - exact - 1) distance++;
  return distance;
}
