/**
 * Recognizes text that reads like instructions to the agent, such as “ignore all previous instructions”. A match is a hint, not a proof: the
 * agent still answers from the text, but the passage is marked, and an answer that repeats it shows its source.
 */

/** Words between the parts of a phrase, within one sentence. */
const GAP = '[^.!?。！？\\n]{0,50}?';
const phrase = (...parts: string[]): string => parts.map((part) => `(?:${part})`).join(GAP);

/** Orders to drop the rules of the agent, by language: verb, then object; German and Dutch also have the verb last. */
const overrides: [verb: string, object: string][] = [
  [
    'ignor(?:e|ing)|disregard|forget|override|bypass|do not follow|stop following',
    '(?:previous|prior|earlier|above|other|all|your|system)\\s(?:\\w+\\s){0,2}(?:instructions?|rules|prompts?|guidelines|directions|orders)|everything (?:above|before)',
  ],
  [
    'ignorier\\p{L}{0,15}|vergiss|vergessen sie|missachte\\p{L}{0,15}|übergeh\\p{L}{0,15}|befolge\\p{L}{0,15} nicht',
    '(?:vorherig|vorig|bisherig|obig|früher|vorangegangen|all|dein|ihr|ander|system)\\p{L}{0,15}\\s(?:\\p{L}{1,20}\\s){0,2}(?:anweisung|regel|vorgabe|instruktion|prompt|befehl|system)\\p{L}{0,15}|systemanweisung\\p{L}{0,15}',
  ],
  ['ignore[zr]?|oublie[zr]?|ne (?:suis|suivez) pas|néglige[zr]?', '(?:instructions?|consignes?|règles|directives)'],
  ['ignora\\p{L}{0,15}|ignore[ns]?|olvid\\p{L}{1,20}|omite|no sigas', '(?:instrucciones|reglas|órdenes|indicaciones)'],
  ['ignora\\p{L}{0,15}|dimentica\\p{L}{0,15}|trascura\\p{L}{0,15}|non seguire', '(?:istruzioni|regole|direttive|indicazioni)'],
  ['ignore[m]?|esqueça[m]?|desconsidere[m]?|não siga', '(?:instruções|regras|ordens|orientações)'],
  ['negeer|vergeet|volg niet', '(?:instructies|regels|opdrachten|aanwijzingen)'],
  ['zignoruj\\p{L}{0,15}|ignoruj\\p{L}{0,15}|zapomnij\\p{L}{0,15}|pomiń', '(?:instrukcj|zasad|poleceni|reguł)\\p{L}{0,15}'],
  [
    'игнорируй\\p{L}{0,15}|проигнорируй\\p{L}{0,15}|забудь\\p{L}{0,15}|не следуй\\p{L}{0,15}',
    '(?:инструкци|правил|указани|команд)\\p{L}{0,15}',
  ],
  [
    '(?:önceki|yukarıdaki|tüm)',
    '(?:talimat|kural|yönerge)\\p{L}{0,15}\\s(?:\\p{L}{1,20}\\s)?(?:yok say|unut|görmezden gel|dikkate alma)',
  ],
  ['忽略|无视|忘记|無視|忘掉', '(?:指令|指示|规则|規則|提示词|命令)'],
  ['(?:以前|上記|前|すべて|これまで)の', '(?:指示|命令|ルール|プロンプト)(?:を|は)(?:すべて)?(?:無視|忘れ)'],
];

/** Text that addresses a model, or names parts of its prompt. */
const addressed: string[] = [
  // The roles and marks of prompts.
  '<\\|?(?:im_start|im_end|system|endoftext)\\|?>|\\[/?INST\\]|<</?SYS>>|^\\s*(?:#{1,6}\\s*)?(?:system|assistant)\\s*(?:prompt|message)?\\s*:',
  '^\\s*#{2,6}\\s*(?:new\\s)?instructions?\\b|(?:begin|start|end) (?:of )?system prompt',
  phrase('reveal|repeat|print|show|output|leak|tell me', '(?:your|the) (?:system prompt|initial instructions|hidden instructions)'),
  phrase(
    '(?:verrate|zeige|wiederhole|gib)\\p{L}{0,15}',
    '(?:dein\\p{L}{0,15}|ihr\\p{L}{0,15}|den|die) (?:system-?prompt|systemanweisung)\\p{L}{0,15}',
  ),
  // Orders that name the reader as a model.
  phrase(
    "if you(?:'re| are)|dear|attention|note to|message (?:to|for)|hey|important for|you are (?:now )?an?",
    '(?:AI|LLM|large language model|language model|chatbot|AI (?:agent|assistant|model)|(?:virtual |AI )assistant)s?(?!\\p{L})\\s{0,2}(?:[,:!]|reading|that reads|processing|you (?:must|should|are)|without|with no|and you)',
  ),
  phrase(
    '(?:wenn|falls) du|liebe[rs]?|achtung|nachricht an|hinweis (?:an|für)|du bist (?:jetzt|nun|ab sofort)',
    '(?:KI|LLM|sprachmodell|chatbot|KI-(?:assistent\\p{L}{0,15}|agent\\p{L}{0,15}|modell\\p{L}{0,15})|assistent|assistentin|agent)(?!\\p{L})',
  ),
  phrase(
    'si (?:tu es|vous êtes)|tu es (?:maintenant|désormais)',
    '(?:une? )?(?:IA|intelligence artificielle|modèle de langage|chatbot|assistant)',
  ),
  phrase('si eres|ahora eres|eres ahora', '(?:una? )?(?:IA|inteligencia artificial|modelo de lenguaje|chatbot|asistente)'),
  phrase('se sei|ora sei|da ora sei', "(?:un[a']?\\s?)?(?:IA|intelligenza artificiale|modello linguistico|chatbot|assistente)"),
  phrase('если ты|теперь ты|ты теперь', '(?:ИИ|нейросет\\p{L}{0,15}|языковая модель|чат-?бот|ассистент)'),
  // Orders to hide something from the user.
  phrase(
    "(?:do not|don't|never|without) (?:tell|inform|mention|notify|ask|telling|informing|mentioning|notifying|asking)\\p{L}{0,15}",
    '(?:the )?(?:user|human|visitor)(?!\\p{L})',
  ),
  phrase(
    '(?:sag|verrate|erwähne|informiere|frag)\\p{L}{0,15}',
    '(?:dem|den|der|die) (?:nutzer|benutzer|anwender|besucher)\\p{L}{0,15}\\s(?:\\p{L}{1,20}\\s){0,3}(?:nicht|nichts)',
  ),
  phrase('ohne (?:den|die) (?:nutzer|benutzer|anwender|besucher)\\p{L}{0,15}', 'zu (?:fragen|informieren)'),
  // Calls of tools.
  phrase(
    '(?:call|invoke|use|execute|run)(?:s|ing)? the',
    '(?:tool|function)(?!\\p{L})',
    'named|with the (?:arguments?|parameters?)|to (?:send|delete|transfer|pay|email)',
  ),
  phrase('(?:rufe?|nutze|verwende|führe)', '(?:das werkzeug|das tool|die funktion)(?!\\p{L})', 'auf|aus|um|mit'),
];

/** The verb is last, as in “alle bisherigen Anweisungen ignorieren”. */
const verbLast: string[] = [
  phrase(
    '(?:vorherig|bisherig|obig|früher|alle|dein)\\p{L}{0,15}',
    '(?:anweisung|regel|vorgabe)\\p{L}{0,15}',
    '(?:ignorieren|vergessen|missachten)',
  ),
  phrase('(?:vorige|eerdere|bovenstaande|alle)', '(?:instructies|regels)', '(?:negeren|vergeten)'),
];

/** Scripts with spaces: a word of a rule starts where a word starts. */
const fromWordStart = (source: string): string => `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{N}])(?:${source})`;
const RULES = [...overrides.map((parts) => phrase(...parts)), ...verbLast, ...addressed].map(
  (source) => new RegExp(fromWordStart(source), 'imu'),
);

/** A line break within a sentence, such as in text of a fixed width. The next line is no item of a list, and no heading. */
const WRAP = /(?<![.!?:;。！？\n])\n(?! ?(?:[-*•#>|\n]|\d{1,3}[.)]))/g;

/** Characters that hide text from people, but not from models. */
const HIDDEN = /[\u{e0020}-\u{e007e}]{3}/u;

export function readsLikeInstruction(text: string): boolean {
  if (HIDDEN.test(text)) return true;
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[^\S\n]+/g, ' ');
  // Some rules are about the start of a line.
  const texts = new Set([plain, plain.replace(WRAP, ' ')]);
  return [...texts].some((each) => RULES.some((rule) => rule.test(each)));
}
