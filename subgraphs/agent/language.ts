/** Scripts that one language of the list uses alone. Japanese comes before Chinese, whose signs it uses too. */
const scripts = {
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  zh: /\p{Script=Han}/gu,
  ko: /\p{Script=Hangul}/gu,
  el: /\p{Script=Greek}/gu,
  he: /\p{Script=Hebrew}/gu,
  ar: /\p{Script=Arabic}/gu,
  hi: /\p{Script=Devanagari}/gu,
  th: /\p{Script=Thai}/gu,
} as const;

/** The most frequent short words of each language. Words that several languages share count for each. */
const words = {
  en: 'the of and to in is it you that for on are with as this be at have from or by not but what we can your an will our if has do which they there please yes no',
  de: 'der die das und ist in den von zu mit sich des auf für nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man ihr ihre wir können bitte ja nein kann unser',
  fr: 'le la les de des du et est un une en que qui dans pour pas sur au avec se ce il elle vous nous sont par plus ou mais son sa ses leur notre votre cette aux être avoir oui non peut',
  es: 'el la los las de del y que en un una es por con para no se su al lo como más pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos puede usted',
  it: 'il lo la i gli le di del della e è che in un una per con non si su al come più ma anche se sono nel dei alla delle da ci questo questa può suo sua nostro vostro sì no',
  pt: 'o a os as de do da dos das e é que em um uma para com não se por no na mais como mas ao ele seu sua ou ser quando muito nos já está eu também só pelo pela até isso você pode nosso sim',
  nl: 'de het een en van in is dat op te zijn met voor niet aan er om ook als bij maar uit nog naar door over ze hij wij ons uw je kan wordt deze dit of heeft worden geen ja nee',
  pl: 'i w na z do nie się jest to że o jak ale po co tak za od czy już lub oraz są przez dla przy może ten ta te jego jej nasz możesz proszę być',
  sv: 'och i att det som en på är av för med till den har de inte om ett han var jag från vi så men kan vid ska eller efter ni din vår ja nej också',
  da: 'og i at det er en til på som den de med for ikke der af et har du vi kan om jeg fra men så hvis eller efter din vores ja nej også ved blev være',
  no: 'og i det er på en som for at med av de til den har ikke et om vi kan jeg fra men så hvis eller etter din vår ja nei også ved ble være hva',
  fi: 'ja on ei että se hän oli joka mutta tai kun niin myös voi ovat olla sen tämä meidän teidän kuin jos vain sekä voit kyllä',
  cs: 'a v na je se že s z do o to i jako ale za po od pro by nebo také byl jsou má při která který jeho náš váš ano ne můžete prosím',
  tr: 've bir bu da de için ile ne o çok var daha olarak gibi kadar sonra ama ya mi değil en olan her siz biz evet hayır lütfen',
  ru: 'и в не на что с по это как но из у к за от для или о бы вы мы он она его так же да нет может можно наш ваш если',
  uk: 'і в не на що з по це як але із у до за від для або про ви ми він вона його так же та є може можна наш ваш якщо',
} as const;

type Language = keyof typeof scripts | keyof typeof words;
const sets = Object.entries(words).map(([language, list]) => [language as Language, new Set(list.split(' '))] as const);

/** ISO 639-1 codes of the languages that texts can be checked for. */
export const languages: readonly Language[] = [
  ...sets.map(([language]) => language),
  ...(Object.keys(scripts) as Language[]),
].sort();

/** Whether a text is one of the frequent short words of a language, such as `and`. */
export const isShortWord = (text: string, language: Language): boolean =>
  sets.some(([each, set]) => each === language && set.has(text));

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text);

/** Characters that decide. */
const MAX = 5_000;
/** Share of the letters from which a script decides. Names of products are often written in Latin letters. */
const ENOUGH = 0.3;

/** The language of a text by its script, or by its short words; null if they do not tell. */
export function languageOf(text: string): Language | null {
  const start = text.slice(0, MAX).toLowerCase();
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return null;
  for (const [language, script] of Object.entries(scripts) as [Language, RegExp][]) {
    const share = language === 'ja' ? ENOUGH / 3 : ENOUGH;
    if ((start.match(script)?.length ?? 0) >= letters * share) return language;
  }
  const found = start.match(/\p{L}+/gu) ?? [];
  const counts = sets.map(([language, set]) => [language, found.filter((word) => set.has(word)).length] as const);
  const [best, second] = counts.toSorted((a, b) => b[1] - a[1]);
  return best![1] > 0 && best![1] > second![1] ? best![0] : null;
}
