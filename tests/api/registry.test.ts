/** What `web/api/encodings.ts` says by hand is what the registry in the module says. */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { PosencError, type ParameterDescription } from 'posenc';
import { errorOf, posenc } from './posenc.js';
import { samples } from './samples.js';

const folder = new URL('../../web/api/', import.meta.url);

/** The statements of a source of the API. */
const statementsOf = (file: string) =>
  ts.createSourceFile(
    file,
    readFileSync(new URL(file, folder), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  ).statements;

const families = readdirSync(new URL('encodings/', folder)).map((file) => `encodings/${file}`);

const declarations = new Map(
  ['types.ts', 'encodings.ts', ...families]
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

/** The PosencError that a call throws, if it does. */
function errorIn(call: () => unknown): PosencError | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof PosencError) return error;
    throw error;
  }
  return undefined;
}

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
      expect(comment, parameters[i]!.name).not.toBe('');
      if (initial !== null) expect(comment).toMatch(new RegExp(`Default \`?${initial}\\b`));
      if (required && low !== undefined) expect(comment).toContain(`${low} … ${high}`);
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
    for (const user of about.users) expect(user).toMatch(/^\S.*\S$/);
  });

  test('describes numbers by a range and choices by their names', () => {
    for (const { kind, initial, low, high, choices } of parameters) {
      if (kind === 'choice') {
        expect([...choices!, null]).toContain(initial);
        expect([low, high]).toEqual([undefined, undefined]);
      } else if (kind === 'tensor') {
        expect([initial, low, high, choices]).toEqual([null, undefined, undefined, undefined]);
      } else if (kind !== 'flag') {
        expect(low).toBeLessThan(high!);
        expect(choices).toBeUndefined();
      }
    }
  });

  const sample = samples[name];
  const make = (options: object) => posenc.encoding(name as 'rope', options as never);

  test('fills in its options, which make it again', () => {
    const { options } = make(sample);
    // What has no default is left out, unless it was given or another option gives it.
    const given = (p: ParameterDescription) =>
      p.initial !== null || p.name in sample || p.name in options;
    expect(Object.keys(options)).toEqual(parameters.filter(given).map((p) => p.name));
    expect(options).toMatchObject(sample);
    expect(Object.values(options)).not.toContain(NaN);
    expect(make(options).options).toEqual(options);
  });

  test('takes every choice and, unless another option forbids it, the end of every range', () => {
    for (const { name: parameter, kind, low, high, choices = [] } of parameters) {
      const values = kind === 'integer' || kind === 'real' ? [low, high] : choices;
      for (const value of values) {
        const error = errorIn(() => make({ ...sample, [parameter]: value }));
        expect(error?.allowed ?? '').not.toMatch(/from .* to |did you mean/);
      }
    }
  });

  test('refuses what is outside a range, of another kind, or missing, by name', () => {
    for (const { name: parameter, kind, low, high, required } of parameters) {
      const errorWith = (value: unknown) => errorOf(() => make({ ...sample, [parameter]: value }));
      const argument = parameter;
      if (required) expect(errorWith(undefined)).toMatchObject({ code: 'argument', argument });
      for (const value of [null, {}, 1n]) {
        expect(errorWith(value)).toMatchObject({ code: 'argument', argument });
      }
      if (kind === 'choice') expect(errorWith('none such').code).toBe('option');
      if (kind === 'doubles') expect(errorWith([NaN]).argument).toBe(`${parameter}[0]`);
      if (kind === 'tensor') {
        expect(errorWith(new Float32Array(0))).toMatchObject({ code: 'shape', argument });
      }
      if (kind !== 'integer' && kind !== 'real') continue;
      for (const value of [low! - 1, high! * 2 + 1, NaN]) {
        expect(errorWith(value)).toMatchObject({ code: 'range', argument });
      }
    }
  });
});

test('samples are in the order of the registry', () => {
  expect(Object.keys(samples)).toEqual(posenc.encodings.map(({ name }) => name));
});
