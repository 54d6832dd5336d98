const shown = 5;
const shownKey = 64;

interface Fault {
  path: string;
  says: string;
  /** The words come before the path: 'unknown field: foo'. */
  leads: boolean;
}

/**
 * What is wrong with an input. A fault is noted where it is found and gets its path from the containers around it, so a
 * sound input pays nothing for paths.
 */
export class Faults {
  private readonly list: Fault[] = [];

  get count(): number {
    return this.list.length;
  }

  get full(): boolean {
    return this.list.length >= shown;
  }

  add(says: string, path = '', leads = false): void {
    this.list.push({ path, says, leads });
  }

  /** Everything noted since `before` lies under this segment, a name or an index; `bare` stands for a path that stays empty. */
  under(segment: string | number, before: number, bare = ''): void {
    for (const fault of this.list.slice(before)) {
      const head = typeof segment === 'number' ? `[${segment}]` : segment;
      const joint = head === '' || fault.path === '' || fault.path.startsWith('[') ? '' : '.';
      fault.path = head + joint + fault.path || bare;
    }
  }

  /** All faults as one sentence, five at most; `more` are complete already and come last. */
  sentence(more: Iterable<string> = []): string {
    const sentences = new Set(
      this.list
        .slice(0, shown)
        .map(({ path, says, leads }) => (leads ? `${says} ${path}` : /^\p{Lu}/u.test(says) ? says : `${path} ${says}`)),
    );
    for (const each of more) {
      if (sentences.size >= shown) break;
      sentences.add(each);
    }
    return [...sentences].join('; ');
  }
}

/** A key of the caller, fit to be shown in a message. */
export const printable = (key: string): string => {
  const clean = key.toWellFormed().replace(/\p{Cc}/gu, '\uFFFD');
  return clean.length > shownKey ? `${clean.slice(0, shownKey)}…` : clean;
};
