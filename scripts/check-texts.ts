// The console speaks several languages: words that a person reads stand in its tables of texts, not in its views. This
// looks at the places where a view can show a literal, and at the tables for texts that were not translated.
import ts from 'typescript';
import { isTestFile, type Problem, type ProjectFile, readProject, report } from './support/project.ts';
import { lineOf, visitAll } from './support/source.ts';

const sources = 'packages/console/src/';
const tables = `${sources}texts/`;

/** Properties, of elements and of objects, whose text a person reads. */
const shownProperties = new Set([
  'advice',
  'alt',
  'aria-label',
  'body',
  'cell',
  'columns',
  'description',
  'empty',
  'label',
  'legend',
  'message',
  'none',
  'nothingFoundMessage',
  'placeholder',
  'says',
  'submit',
  'title',
  'what',
]);

/** Functions that show the text they are given. */
const shownBy = new Set(['notify', 'notifyError', 'useDocumentTitle', 'useTip']);

/** Elements whose content is typed as it stands, in every language. */
const verbatim = new Set(['Code', 'Kbd', 'code', 'kbd']);

/** Names that are the same in every language. */
const sameEverywhere = [/^(· )?Moorage$/, /^\/[a-z]+$/, /^[a-z]+([_./][a-z]+)+$/, /^[A-Z]{2,5}$/];

/** What a field for a technical name shows before something is typed. */
const example = /^[a-z]+(, [a-z]+)*$/;

/** Whether a text has words in it: two letters in a row that stand for nothing technical. */
const hasWords = (text: string): boolean =>
  /\p{L}{2}/u.test(text) && !sameEverywhere.some((pattern) => pattern.test(text.trim()));

const problem = (source: ts.SourceFile, node: ts.Node, text: string): Problem => ({
  path: source.fileName,
  line: lineOf(source, node),
  rule: 'literal-text',
  message: `"${text.trim().replace(/\s+/g, ' ').slice(0, 60)}" belongs into a table of ${tables}`,
});

/** The literals that an expression may come to: those of its branches and parts, not those of what it calls. */
function literalsOf(node: ts.Node): ts.Node[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node];
  if (ts.isTemplateExpression(node)) {
    return [
      node.head,
      ...node.templateSpans.flatMap(({ expression, literal }) => [...literalsOf(expression), literal]),
    ];
  }
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  if (ts.isBinaryExpression(node))
    return /^[!=]==?$/.test(node.operatorToken.getText()) ? [] : [...literalsOf(node.left), ...literalsOf(node.right)];
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(literalsOf);
  if (ts.isParenthesizedExpression(node)) return literalsOf(node.expression);
  if (ts.isJsxExpression(node)) return node.expression ? literalsOf(node.expression) : [];
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return literalsOf(node.body);
  return [];
}

// Safe: literals and the pieces of templates all carry their text.
const textOf = (node: ts.Node): string => (node as ts.StringLiteral).text;

const elementName = (node: ts.Node): string | undefined =>
  ts.isJsxElement(node) ? node.openingElement.tagName.getText() : undefined;

/** What of the value of a property is shown. */
function shownOf(name: string, value: ts.Node): ts.Node[] {
  if (!shownProperties.has(name)) return [];
  const literals = literalsOf(value);
  return name === 'placeholder' ? literals.filter((one) => !example.test(textOf(one))) : literals;
}

/** What of a node is shown to a person. */
function shown(node: ts.Node): ts.Node[] {
  if (ts.isJsxText(node)) return [node];
  if (ts.isJsxExpression(node) && (ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent)))
    return literalsOf(node);
  if (ts.isJsxAttribute(node) && node.initializer) {
    return shownOf(node.name.getText(), node.initializer);
  }
  if (ts.isBindingElement(node) && node.initializer) {
    return shownOf(node.name.getText(), node.initializer);
  }
  if (ts.isPropertyAssignment(node)) {
    const name = ts.isStringLiteral(node.name) ? node.name.text : node.name.getText();
    return shownOf(name, node.initializer);
  }
  if (ts.isCallExpression(node))
    return shownBy.has(node.expression.getText()) ? node.arguments.flatMap(literalsOf) : [];
  return [];
}

const parseTsx = ({ path, text }: ProjectFile): ts.SourceFile =>
  ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.ES2024,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );

/** Literal words that a view shows. */
export function literalTexts(file: ProjectFile): Problem[] {
  const source = parseTsx(file);
  const found: Problem[] = [];
  visitAll(source, (node) => {
    const parent = elementName(ts.isJsxExpression(node) ? node.parent : (node.parent ?? node));
    if (parent !== undefined && verbatim.has(parent)) return;
    for (const part of shown(node)) if (hasWords(textOf(part))) found.push(problem(source, part, textOf(part)));
  });
  return found;
}

/** Words of a text, blanks left out. */
const wordsIn = (node: ts.Node): number =>
  literalsOf(node).reduce((sum, part) => sum + (textOf(part).match(/\p{L}{2,}/gu) ?? []).length, 0);

/** Texts of more than two words that are the same in both languages: one of them was not translated. */
export function untranslated(file: ProjectFile): Problem[] {
  const source = parseTsx(file);
  const found: Problem[] = [];
  visitAll(source, (node) => {
    if (!ts.isArrayLiteralExpression(node) || node.elements.length !== 2) return;
    const [en, de] = node.elements;
    if (!en || !de || en.getText() !== de.getText() || wordsIn(en) < 3) return;
    found.push({
      path: file.path,
      line: lineOf(source, node),
      rule: 'untranslated',
      message: en.getText().slice(0, 60),
    });
  });
  return found;
}

const isView = ({ path }: ProjectFile): boolean =>
  path.startsWith(sources) && /\.tsx?$/.test(path) && !path.startsWith(tables) && !isTestFile(path);

if (import.meta.main) {
  const files = readProject();
  report('texts', [
    ...files.filter(isView).flatMap(literalTexts),
    ...files.filter(({ path }) => path.startsWith(tables)).flatMap(untranslated),
  ]);
}
