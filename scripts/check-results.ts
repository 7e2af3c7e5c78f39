// A `Result` that is dropped hides a failure: no statement may leave one unused, awaited or not. Needs types, so it
// builds the programs that the compiler checks.
import { posix, relative } from 'node:path';
import ts from 'typescript';
import { type Problem, report, root } from './support/project.ts';
import { lineOf, visitAll } from './support/source.ts';

/** Whether a type is the failure of a `Result`: `ok` is false, and there is an `error`. */
function isFailure(checker: ts.TypeChecker, type: ts.Type): boolean {
  const ok = type.getProperty('ok');
  if (!ok || !type.getProperty('error')) return false;
  return checker.typeToString(checker.getTypeOfSymbol(ok)) === 'false';
}

/** Whether a value of this type may be a failure, or carries one: a promise, a list, one of several types. */
function mayFail(checker: ts.TypeChecker, type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some((part) => mayFail(checker, part));
  if (isFailure(checker, type)) return true;
  const isCarrier =
    ['Promise', 'Array', 'ReadonlyArray'].includes(type.symbol?.name ?? '') || checker.isTupleType(type);
  // Safe: these types are references to generic ones.
  return isCarrier && checker.getTypeArguments(type as ts.TypeReference).some((part) => mayFail(checker, part));
}

const withoutVoid = (node: ts.Expression): ts.Expression => (ts.isVoidExpression(node) ? node.expression : node);

const isAssignment = (node: ts.Expression): boolean =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
  node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;

/** The value that a node throws away: a statement of its own, or what a function returns to a caller that wants none. */
function dropped(checker: ts.TypeChecker, node: ts.Node): ts.Expression | undefined {
  if (ts.isVoidExpression(node)) return node.expression;
  if (ts.isExpressionStatement(node)) return isAssignment(node.expression) ? undefined : withoutVoid(node.expression);
  if (!ts.isArrowFunction(node) || ts.isBlock(node.body)) return undefined;
  const wanted = checker.getContextualType(node)?.getCallSignatures() ?? [];
  const isUnwanted = wanted.some((signature) => signature.getReturnType().flags & ts.TypeFlags.Void);
  return isUnwanted && !isAssignment(node.body) ? node.body : undefined;
}

/** Places of a program that drop a `Result`. */
export function findDroppedResults(program: ts.Program, isOwn: (path: string) => boolean): Problem[] {
  const checker = program.getTypeChecker();
  return program.getSourceFiles().flatMap((source) => {
    if (!isOwn(source.fileName)) return [];
    const lines = new Set<number>();
    visitAll(source, (node) => {
      const value = dropped(checker, node);
      if (value && mayFail(checker, checker.getTypeAtLocation(value))) lines.add(lineOf(source, value));
    });
    const path = relative(root, source.fileName);
    const message = 'the Result is dropped: look at it, hand it on, or unwrap it';
    return [...lines].map((line) => ({ path, line, rule: 'dropped-result', message }));
  });
}

/** The program of a configuration file. */
function programOf(path: string): ts.Program {
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, posix.dirname(path));
  return ts.createProgram(fileNames, options);
}

if (import.meta.main) {
  const isOwn = (path: string) => path.startsWith(root) && !path.includes('/node_modules/');
  const found = ['tsconfig.json', 'packages/console/tsconfig.json'].flatMap((path) =>
    findDroppedResults(programOf(posix.join(root, path)), isOwn),
  );
  const once = new Map(found.map((problem) => [`${problem.path}:${problem.line}`, problem]));
  report('results', [...once.values()]);
}
