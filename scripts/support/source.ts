import ts from 'typescript';
import type { ProjectFile } from './project.ts';

/** Parses a file; the checks look at the tree wherever a look at the text could be fooled. */
export const parse = (file: ProjectFile): ts.SourceFile =>
  ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2024, true, ts.ScriptKind.TS);

/** Line of a node, counted from 1; comments before it do not count. */
export const lineOf = (source: ts.SourceFile, node: ts.Node): number =>
  source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

/** How many lines a node takes, comments before it left out. */
export function linesOf(source: ts.SourceFile, node: ts.Node): number {
  const last = source.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
  return last - lineOf(source, node) + 1;
}

/** Calls `visit` for the node and everything below it. */
export function visitAll(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => visitAll(child, visit));
}

/** One import, export-from, or `import()` of a file. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Only types come through it, so nothing of it is left when the program runs. */
  readonly typeOnly: boolean;
}

const isTypeOnlyClause = (clause: ts.ImportClause | undefined): boolean => {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  return (
    !clause.name &&
    !!named &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every((element) => element.isTypeOnly)
  );
};

/** All imports of a file, dynamic ones and import types included. */
export function importsOf(source: ts.SourceFile): Import[] {
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (specifier && ts.isStringLiteralLike(specifier))
      imports.push({ specifier: specifier.text, line: lineOf(source, specifier), typeOnly });
  };
  visitAll(source, (node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnlyClause(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
  });
  return imports;
}

/** The comments of a file with their lines; text inside strings is none. */
export function commentsOf(source: ts.SourceFile): { readonly line: number; readonly text: string }[] {
  const found = new Map<number, string>();
  const collect = (ranges: readonly ts.CommentRange[] | undefined) => {
    for (const range of ranges ?? []) found.set(range.pos, source.text.slice(range.pos, range.end));
  };
  visitAll(source, (node) => {
    collect(ts.getLeadingCommentRanges(source.text, node.getFullStart()));
    collect(ts.getTrailingCommentRanges(source.text, node.getEnd()));
  });
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([pos, text]) => ({ line: source.getLineAndCharacterOfPosition(pos).line + 1, text }));
}

/** The words before the parentheses of a call: `describe.each` for `describe.each(rows)(…)`. */
export function calledName(node: ts.Node): string {
  if (ts.isCallExpression(node)) return calledName(node.expression);
  if (ts.isPropertyAccessExpression(node)) return `${calledName(node.expression)}.${node.name.text}`;
  return ts.isIdentifier(node) ? node.text : '';
}
