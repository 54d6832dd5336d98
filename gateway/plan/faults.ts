const maxShown = 5;
const maxKeyLength = 64;

interface Fault {
  path: string;
  says: string;
  /** Whether the text comes before the path, as in 'unknown field: foo'. */
  leads: boolean;
}

/**
 * Collects the errors of an input. The containers of an invalid value add its path afterwards, so a valid input tracks no paths.
 */
export class Faults {
  private readonly list: Fault[] = [];

  get count(): number {
    return this.list.length;
  }

  get full(): boolean {
    return this.list.length >= maxShown;
  }

  add(says: string, path = '', leads = false): void {
    this.list.push({ path, says, leads });
  }

  /** Prefix the paths of all faults added since `before` with a name or an index. `bare` replaces a path that stays empty. */
  under(segment: string | number, before: number, bare = ''): void {
    for (const fault of this.list.slice(before)) {
      const head = typeof segment === 'number' ? `[${segment}]` : segment;
      const joint = head === '' || fault.path === '' || fault.path.startsWith('[') ? '' : '.';
      fault.path = head + joint + fault.path || bare;
    }
  }

  /** Join at most five faults into one sentence. `more` holds complete sentences, which come last. */
  sentence(more: Iterable<string> = []): string {
    const sentences = new Set(
      this.list
        .slice(0, maxShown)
        .map(({ path, says, leads }) => (leads ? `${says} ${path}` : `${path}${/^\p{Lu}/u.test(says) ? ':' : ''} ${says}`)),
    );
    for (const each of more) {
      if (sentences.size >= maxShown) break;
      sentences.add(each);
    }
    return [...sentences].join('; ');
  }
}

/** Truncate a key from the caller and replace its control characters, so that a message can show it. */
export const printable = (key: string): string => {
  const clean = key.toWellFormed().replace(/\p{Cc}/gu, '\uFFFD');
  return clean.length > maxKeyLength ? `${clean.slice(0, maxKeyLength).toWellFormed()}…` : clean;
};
