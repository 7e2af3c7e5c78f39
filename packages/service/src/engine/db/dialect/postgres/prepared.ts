/** A statement that has come this often is worth preparing. */
const oftenEnough = 3;
/** Prepared statements that each connection may come to hold, here and at the server. */
const preparedLimit = 300;
/** Texts whose uses are counted; lists make them of many lengths. */
const countedLimit = 3_000;
/** A longer text is made of a long list, and hardly comes twice. */
const longestText = 8_000;

/** Stands in statements whose best plan depends on their values: the server would settle on one plan for all. */
export const plannedForValues = '/* planned for its values */';

/** Gives names to the statements that come often: to plan one can take longer than to run it. */
export class StatementNames {
  #uses = new Map<string, number>();
  #names = new Map<string, string>();
  #count = 0;

  /** The name of a statement, if it shall be prepared. */
  of(text: string, parameters: readonly unknown[]): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= preparedLimit) return known;
    if (parameters.length === 0 || text.length > longestText || text.includes(plannedForValues)) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < oftenEnough) {
      if (this.#uses.size >= countedLimit) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const name = `often-${++this.#count}`;
    this.#names.set(text, name);
    return name;
  }

  /** Forgets all names: what is prepared under them is not to be used again. */
  forget(): void {
    this.#names = new Map();
  }
}
