import { environment } from '../../schema/environment.ts';

interface Described {
  meaning: string;
  default?: string;
}

/** The environment table of the README, as Markdown. */
export function environmentTable(): string {
  const rows = Object.entries<Described>(environment).map(([name, { default: fallback, meaning }]) => [
    `\`${name}\``,
    fallback ? `\`${fallback}\`` : '',
    meaning.replaceAll('|', '\\|'),
  ]);
  return [['Name', 'Default', 'Meaning'], ['---', '---', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (import.meta.main) process.stdout.write(`${environmentTable()}\n`);
