/**
 * The input fields and enum values in the variables of the requests of one operation. Reading the variables marks them, so they are not
 * walked again.
 */
export class SentInputs {
  readonly #coordinates: string[] = [];
  readonly #indexes = new Map<string, number>();
  /** By index, the read that marked the coordinate last. */
  readonly #reads: number[] = [];
  #read = 0;
  #marked: string[] = [];
  /** By the variables of a request. Equal objects have equal marks, so several requests may share one. */
  readonly #ofVariables = new WeakMap<object, readonly string[]>();

  /** The index by which a coordinate is marked. */
  indexOf(coordinate: string): number {
    const known = this.#indexes.get(coordinate);
    if (known !== undefined) return known;
    const index = this.#coordinates.push(coordinate) - 1;
    this.#indexes.set(coordinate, index);
    this.#reads.push(0);
    return index;
  }

  /** Variables are read without waiting, so there is one read at a time. */
  begin(): void {
    this.#read += 1;
    if (this.#marked.length > 0) this.#marked = [];
  }

  mark(index: number): void {
    if (this.#reads[index] === this.#read) return;
    this.#reads[index] = this.#read;
    this.#marked.push(this.#coordinates[index]!);
  }

  /** Keep the marks of valid variables. */
  end(variables: object): void {
    if (this.#marked.length > 0) this.#ofVariables.set(variables, this.#marked);
  }

  /** The coordinates that were marked in these variables, each once; undefined if there are none, or the variables are invalid. */
  of(variables: object): readonly string[] | undefined {
    return this.#ofVariables.get(variables);
  }
}
