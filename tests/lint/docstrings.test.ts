/** Whatever the package exports says what it is: the site's reference is made of these texts. */
import { expect, it } from 'vitest';
import { groupOf, groups } from '../../scripts/reference/groups.mjs';
import { readApi } from '../../scripts/reference/model.mjs';

const symbols = await readApi();
/** Members that say all there is to say: the name of a rule, the options of an encoding by its name. */
const needsNoWords = /^type: '|^\w+: \w+Options$/;

it('reads the whole API', () => {
  expect(symbols.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'load',
      'PosencError',
      'Encoding',
      'RopeOptions',
      'scalings',
      'inspect',
    ]),
  );
  expect(new Set(symbols.map((symbol) => groupOf(symbol)))).toEqual(
    new Set(groups.map(({ path }) => path)),
  );
});

it('has a docstring for every exported symbol and every member', () => {
  const bare = symbols.flatMap(({ name, comment, members }) => [
    ...(comment ? [] : [name]),
    ...members
      .filter((member) => !member.comment && !needsNoWords.test(member.text))
      .map((member) => `${name}.${member.name}`),
  ]);
  expect(bare).toEqual([]);
});

it('links names that are exported', () => {
  const exported = new Set(symbols.map(({ name }) => name));
  const links = symbols
    .flatMap((symbol) => [symbol, ...symbol.members])
    .flatMap(({ comment }) => [
      ...(comment?.summary ?? []),
      ...(comment?.blockTags ?? []).flatMap(({ content }) => content),
    ])
    .filter(({ kind }) => kind === 'inline-tag')
    .map(({ text }) => text);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((name) => !exported.has(name))).toEqual([]);
});
