/**
 * What the package exports, as TypeDoc reads it from `web/api`: names, declarations as written,
 * docstrings, members.
 */
import ts from 'typescript';
import { at } from '../lib/project.mjs';

/**
 * @typedef {object} Member a property or method
 * @property {string} name
 * @property {string} text the declaration without its docstring
 * @property {import('typedoc').Comment | undefined} comment
 *
 * @typedef {object} ExportedSymbol
 * @property {string} name
 * @property {'function' | 'class' | 'interface' | 'type' | 'value'} kind
 * @property {string} file source, from `web/api`
 * @property {string} text the declaration without docstrings; of interfaces and classes the head alone
 * @property {import('typedoc').Comment | undefined} comment
 * @property {Member[]} members those of interfaces and classes, inherited ones left out
 */

/**
 * Every symbol that `posenc`, `posenc/inspect`, `posenc/lab` and `posenc/threads` export, in the order
 * of the sources; of several with one name the first.
 * @returns {Promise<ExportedSymbol[]>}
 */
export async function readApi() {
  const { Application, Converter, ReflectionKind } = await import('typedoc');
  const app = await Application.bootstrap({
    entryPoints: ['index', 'inspect', 'lab', 'threads'].map((entry) => at(`web/api/${entry}.ts`)),
    tsconfig: at('tsconfig.build.json'),
    skipErrorChecking: true,
    excludeExternals: true,
    excludePrivate: true,
    excludeProtected: true,
    excludeInternal: true,
    sort: ['source-order'],
    logLevel: 'Error',
  });
  /** Where a reflection was declared. @type {Map<number, ts.Declaration>} */
  const declarations = new Map();
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const [declaration] = context.getSymbolFromReflection(reflection)?.declarations ?? [];
    if (declaration) declarations.set(reflection.id, declaration);
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc cannot read web/api');
  const kinds = new Map([
    [ReflectionKind.Function, 'function'],
    [ReflectionKind.Class, 'class'],
    [ReflectionKind.Interface, 'interface'],
    [ReflectionKind.TypeAlias, 'type'],
    [ReflectionKind.Variable, 'value'],
  ]);
  return project.children
    .flatMap((entry) => entry.children ?? [])
    .filter(({ kind }) => kind !== ReflectionKind.Reference)
    .filter(({ name }, i, all) => all.findIndex((other) => other.name === name) === i)
    .map((reflection) => {
      const declaration = declarations.get(reflection.id);
      const kind = kinds.get(reflection.kind);
      if (!declaration || !kind) throw new Error(`no page can show the export ${reflection.name}`);
      return {
        name: reflection.name,
        kind,
        file: declaration.getSourceFile().fileName.replace(/^.*\/web\/api\//, ''),
        text: declarationText(declaration),
        comment: commentOf(reflection),
        members: kind === 'type' ? [] : membersOf(reflection, declarations),
      };
    });
}

/** Functions and methods carry their docstring at the signature. */
const commentOf = (reflection) => reflection.comment ?? reflection.signatures?.[0]?.comment;

/** The members that an interface or a class declares itself. @returns {Member[]} */
function membersOf(reflection, declarations) {
  return (reflection.children ?? [])
    .filter((member) => member.inheritedFrom === undefined && declarations.has(member.id))
    .map((member) => ({
      name: member.name,
      text: memberText(declarations.get(member.id)),
      comment: commentOf(member) ?? member.type?.declaration?.signatures?.[0]?.comment,
    }));
}

/** A declaration as it is written, without what a reader of the API need not see. */
function declarationText(declaration) {
  if (ts.isFunctionDeclaration(declaration)) {
    const body = declaration.body?.getStart() ?? declaration.end;
    return sourceOf(declaration, declaration.getStart(), body).replace(/^export /, '');
  }
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) {
    const head = sourceOf(declaration, declaration.getStart(), declaration.members.pos);
    return head.replace(/^export /, '').replace(/ *\{$/, '');
  }
  if (ts.isVariableDeclaration(declaration)) {
    return `const ${declaration.name.getText()}: ${declaration.type?.getText() ?? 'unknown'}`;
  }
  return sourceOf(declaration, declaration.getStart(), declaration.end)
    .replace(/^export /, '')
    .replace(/;$/, '');
}

function memberText(declaration) {
  return sourceOf(declaration, declaration.getStart(), declaration.body?.getStart() ?? undefined)
    .replace(/^readonly /, '')
    .replace(/[;,]$/, '');
}

/** The source between two offsets, less its indentation. */
function sourceOf(node, start, end = node.end) {
  const file = node.getSourceFile();
  const text = file.text.slice(start, end);
  const line = file.text.lastIndexOf('\n', start) + 1;
  const indent = /^ */.exec(file.text.slice(line, start))[0];
  return text.replaceAll(`\n${indent}`, '\n').trim();
}
