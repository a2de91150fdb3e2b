/** What `web/api/encodings.ts` says by hand is what the registry in the module says. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import type { EncodingName, ParameterDescription } from 'posenc';
import { errorOf, posenc } from './posenc.js';

/** The statements of a source of the API. */
const statementsOf = (file: string) =>
  ts.createSourceFile(
    file,
    readFileSync(new URL(`../../web/api/${file}`, import.meta.url), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  ).statements;

const declarations = new Map(
  ['types.ts', 'encodings.ts']
    .flatMap((file) => [...statementsOf(file)])
    .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
    .map((node) => [node.name.text, node]),
);

/** The members of an interface: name, whether optional, type and comment as written. */
function membersOf(name: string) {
  const declaration = declarations.get(name);
  if (declaration === undefined || !ts.isInterfaceDeclaration(declaration)) return [];
  return declaration.members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText(),
    optional: member.questionToken !== undefined,
    type: member.type?.getText() ?? '',
    comment: ts
      .getJSDocCommentsAndTags(member)
      .map((tag) => tag.getText())
      .join(' '),
  }));
}

/** The strings of a union of literals. */
const literals = (type: string): string[] =>
  [...type.matchAll(/'([^']+)'/g)].map(([, name]) => name!);

const typeOf: Record<ParameterDescription['kind'], string> = {
  integer: 'number',
  real: 'number',
  flag: 'boolean',
  choice: 'string',
  doubles: 'readonly number[] | Float64Array',
  tensor: 'Data',
};

test('EncodingName and EncodingOptions list the encodings of the registry', () => {
  const names = posenc.encodings.map(({ name }) => name);
  const alias = declarations.get('EncodingName') as ts.TypeAliasDeclaration;
  expect(literals(alias.type.getText())).toEqual(names);
  expect(membersOf('EncodingOptions').map(({ name }) => name)).toEqual(names);
});

test('Hook lists the six hooks', () => {
  const alias = declarations.get('Hook') as ts.TypeAliasDeclaration;
  const hooks = literals(alias.type.getText());
  expect(hooks).toHaveLength(6);
  for (const encoding of posenc.encodings)
    expect(hooks).toEqual(expect.arrayContaining([...encoding.hooks]));
});

describe.each(posenc.encodings)('$name', ({ name, parameters, ...about }) => {
  const { type } = membersOf('EncodingOptions').find((member) => member.name === name)!;
  const members = membersOf(type);

  test('has the options that its type declares', () => {
    expect(members.map((member) => member.name)).toEqual(parameters.map((p) => p.name));
    for (const [i, parameter] of parameters.entries()) {
      const member = members[i]!;
      expect(member.optional).toBe(!parameter.required);
      if (parameter.kind === 'choice') expect(literals(member.type)).toEqual(parameter.choices);
      else expect(member.type).toBe(typeOf[parameter.kind]);
    }
  });

  test('has the defaults and ranges that the comments name', () => {
    for (const [i, { initial, required, low, high }] of parameters.entries()) {
      const { comment } = members[i]!;
      if (initial !== null) expect(comment).toMatch(new RegExp(`Default \`?${initial}\\b`));
      if (required) expect(comment).toContain(`${low} … ${high}`);
    }
  });

  test('has a description in both languages, frozen', () => {
    for (const text of [about.title, ...parameters.map(({ meaning }) => meaning)]) {
      expect(text.zh).toMatch(/\p{Script=Han}/u);
      expect(text.en).toMatch(/[a-z]/);
      expect(Object.isFrozen(text)).toBe(true);
    }
    expect(about.url).toMatch(/^https:\/\//);
    expect(about.year).toBeGreaterThan(2016);
  });

  test('describes numbers by a range and choices by their names', () => {
    for (const { kind, initial, low, high, choices } of parameters) {
      if (kind === 'choice') {
        expect(choices).toContain(initial);
        expect([low, high]).toEqual([undefined, undefined]);
      } else if (kind === 'tensor') {
        expect([initial, low, high, choices]).toEqual([null, undefined, undefined, undefined]);
      } else if (kind !== 'flag') {
        expect(low).toBeLessThan(high!);
        expect(choices).toBeUndefined();
      }
    }
  });

  test('takes its own defaults and the ends of its ranges', () => {
    const required = Object.fromEntries(
      parameters.filter((p) => p.required).map((p) => [p.name, p.high]),
    );
    const make = (options: object) => posenc.encoding(name as 'rope', options as never);
    const { options } = make(required);
    const scalars = parameters.filter(({ kind }) => kind !== 'doubles' && kind !== 'tensor');
    expect(Object.keys(options)).toEqual(scalars.map((p) => p.name));
    expect(make(options).options).toEqual(options);
    for (const { name: parameter, kind, low, high, choices = [] } of parameters) {
      for (const choice of choices) make({ ...required, [parameter]: choice });
      if (kind !== 'integer' && kind !== 'real') continue;
      make({ ...options, [parameter]: high });
      for (const outside of [low! - 1, high! * 2]) {
        expect(errorOf(() => make({ ...required, [parameter]: outside }))).toMatchObject({
          code: 'range',
          argument: parameter,
        });
      }
    }
  });
});

test('names that the types know are names that the module knows', () => {
  const names: Record<EncodingName, true> = {
    nope: true,
    sinusoidal: true,
    rope: true,
    alibi: true,
  };
  expect(Object.keys(names)).toEqual(posenc.encodings.map(({ name }) => name));
});
