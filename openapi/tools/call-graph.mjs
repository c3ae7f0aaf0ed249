// Codes that a function can refuse with: the way from it to every `new …Refusal(code)`, by the compiler's own knowledge of
// what each name refers to. TypeScript has no types for what is thrown.
import { isAbsolute, join } from 'node:path';
import ts from 'typescript';
import { repository } from './contract.mjs';

/** A program over the sources of a package, with the sources of `platform` behind its imports. */
export function programOf(room) {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(repository, room, 'tsconfig.json'),
    { noEmit: true, composite: false, incremental: false, tsBuildInfoFile: undefined },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
      },
    },
  );
  const source = join(repository, room, 'src');
  return ts.createProgram(
    config.fileNames.filter((file) => file.startsWith(source) && !file.endsWith('.test.ts')),
    { ...config.options, paths: { '@clockproof/platform/*': [join(repository, 'platform/src/*.ts')] } },
  );
}

/** @returns {Graph} the call graph of a program; what `isOurs` denies of file names is left out */
export function graphOf(program, isOurs) {
  return new Graph(program, isOurs);
}

class Graph {
  #checker;
  #program;
  #isOurs;
  /** Members of types → what stands behind them in object literals and classes. */
  #implementations = new Map();
  #known = new Map();

  constructor(program, isOurs) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#isOurs = isOurs;
    for (const file of program.getSourceFiles()) if (isOurs(file.fileName)) this.#findImplementations(file);
  }

  /** The first declaration of a name at the top of a file, or the first property of that name in it. */
  find(file, name) {
    let found;
    const visit = (node) => {
      if (found !== undefined) return;
      const named = ts.isFunctionDeclaration(node) || ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node);
      if (named && node.name?.getText() === name) found = node;
      else ts.forEachChild(node, visit);
    };
    const source = this.#program.getSourceFile(isAbsolute(file) ? file : join(repository, file));
    if (source === undefined) throw new Error(`${file} is no file of the program`);
    visit(source);
    return found;
  }

  /**
   * @returns {{ codes: Map<string, string>, untyped: string[] }} each code with the names on the way to it, and places
   * whose code has no narrow type
   */
  reach(start) {
    const from = new Map([[start, undefined]]);
    const wayTo = (declaration) => {
      const names = [];
      for (let step = declaration; step !== undefined; step = from.get(step)) names.unshift(nameOf(step));
      return names.filter((name, index) => name !== names[index - 1]).join(' > ');
    };
    const codes = new Map();
    const untyped = [];
    for (const [declaration] of from) {
      const { refusals, next } = this.#look(declaration);
      for (const node of refusals) {
        const words = this.#codesOf(node);
        if (words === undefined) untyped.push(`${nameOf(declaration)}: ${node.getText()}`);
        for (const code of words ?? []) if (!codes.has(code)) codes.set(code, wayTo(declaration));
      }
      for (const target of next) if (!from.has(target)) from.set(target, declaration);
    }
    return { codes, untyped };
  }

  /** The codes of `new Refusal(code)`: one word, or a union of some, but not of all. */
  #codesOf({ arguments: [code] = [] }) {
    if (code === undefined) return undefined;
    const type = this.#checker.getTypeAtLocation(code);
    const parts = type.isUnion() ? type.types : [type];
    return parts.length < 20 && parts.every((part) => part.isStringLiteral())
      ? parts.map(({ value }) => value)
      : undefined;
  }

  /** Refusals in a declaration and in the functions written inside it, and the declarations that these refer to. */
  #look(declaration) {
    const known = this.#known.get(declaration);
    if (known !== undefined) return known;
    const refusals = [];
    const next = new Set(this.#implementations.get(declaration));
    const visit = (node) => {
      if (ts.isTypeNode(node)) return;
      if (ts.isNewExpression(node) && node.expression.getText().endsWith('Refusal')) refusals.push(node);
      if (ts.isIdentifier(node) && !isName(node))
        for (const target of this.#declarationsOf(node)) if (!contains(declaration, target)) next.add(target);
      ts.forEachChild(node, visit);
    };
    // Of a class its construction; its methods are referred to one by one.
    if (ts.isClassLike(declaration)) declaration.members.filter(runsAtConstruction).forEach(visit);
    else if (ts.isShorthandPropertyAssignment(declaration)) visit(declaration.name);
    else ts.forEachChild(declaration, visit);
    const found = { refusals, next };
    this.#known.set(declaration, found);
    return found;
  }

  #declarationsOf(identifier) {
    const symbol = ts.isShorthandPropertyAssignment(identifier.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(identifier.parent)
      : this.#checker.getSymbolAtLocation(identifier);
    const target =
      symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    return (target?.declarations ?? []).filter(
      (declaration) =>
        (ts.isFunctionLike(declaration) ||
          ts.isClassLike(declaration) ||
          ts.isVariableDeclaration(declaration) ||
          ts.isPropertyAssignment(declaration) ||
          ts.isShorthandPropertyAssignment(declaration) ||
          ts.isPropertySignature(declaration) ||
          ts.isPropertyDeclaration(declaration)) &&
        this.#isOurs(declaration.getSourceFile().fileName),
    );
  }

  #findImplementations(node) {
    if (ts.isObjectLiteralExpression(node) && node.properties.some(mayBeCalled)) {
      const type = this.#checker.getContextualType(node);
      const parts = type === undefined ? [] : type.isUnionOrIntersection() ? type.types : [type];
      for (const property of node.properties.filter(mayBeCalled))
        if (this.#checker.getTypeAtLocation(property).getCallSignatures().length > 0)
          for (const part of parts) this.#implement(part.getProperty(property.name.getText()), property);
    }
    if (ts.isClassLike(node))
      for (const base of (node.heritageClauses ?? []).flatMap(({ types }) => [...types])) {
        const type = this.#checker.getTypeAtLocation(base);
        for (const member of node.members)
          if (member.name !== undefined) this.#implement(type.getProperty(member.name.getText()), member);
      }
    ts.forEachChild(node, (child) => this.#findImplementations(child));
  }

  #implement(member, by) {
    for (const declaration of member?.declarations ?? [])
      if (declaration !== by)
        this.#implementations.set(declaration, (this.#implementations.get(declaration) ?? new Set()).add(by));
  }
}

const nameOf = (node) => node.name?.getText() ?? 'a function';
/** The name that a property is given, which refers to nothing. */
const isName = (node) => ts.isPropertyAssignment(node.parent) && node.parent.name === node;
const contains = (outer, inner) =>
  outer.getSourceFile() === inner.getSourceFile() && inner.pos >= outer.pos && inner.end <= outer.end;
const runsAtConstruction = (member) =>
  ts.isConstructorDeclaration(member) || (ts.isPropertyDeclaration(member) && member.initializer !== undefined);
const mayBeCalled = (property) =>
  ts.isMethodDeclaration(property) ||
  ts.isShorthandPropertyAssignment(property) ||
  (ts.isPropertyAssignment(property) &&
    (ts.isArrowFunction(property.initializer) ||
      ts.isFunctionExpression(property.initializer) ||
      ts.isIdentifier(property.initializer) ||
      ts.isCallExpression(property.initializer)));
