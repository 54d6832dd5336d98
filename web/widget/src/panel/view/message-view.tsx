import { useState } from 'preact/hooks';
import type { Message, Product, Source } from '../chat/message.ts';
import { memo, useCountdown, usePanel, useStore } from './hooks.ts';
import { Icon } from './icons.tsx';
import { Link, Markdown, safeUrl } from './markdown.tsx';

interface MessageViewProps {
  message: Message;
  isSeen: boolean;
  products?: readonly Product[];
}

/** One message of the conversation, with its author for screen readers. */
export const MessageView = memo(function MessageView({ message, isSeen, products }: MessageViewProps) {
  const { conversation, config, strings } = usePanel();
  const { role, text, status, tool, error, sources } = message;
  if (role === 'note')
    return (
      <li class="note" dir="auto">
        {text}
      </li>
    );
  const author = role === 'user' ? strings.you : (message.authorName ?? config.name);
  return (
    <li class={`message ${role} ${status}`}>
      <span class={role === 'operator' ? 'author' : 'hidden'}>{author}</span>
      {text && <div class="bubble">{role === 'assistant' ? <Markdown text={text} /> : <p dir="auto">{text}</p>}</div>}
      {tool && <p class="activity">{toolText(strings, tool)}</p>}
      {products && <ProductCards products={products} />}
      {sources.length > 0 && <Sources sources={sources} />}
      {error && (
        <p class="fault">
          {strings.error.reply} <RetryButton onClick={() => conversation.retry(message)} />
        </p>
      )}
      {role === 'assistant' && status === 'complete' && !error && message.id && <Rating message={message} />}
      {status === 'failed' && (
        <p class="fault">
          {strings.error.failed} <RetryButton onClick={() => conversation.resend(message)} />
        </p>
      )}
      {isSeen && <p class="seen">{strings.handoff.seen}</p>}
    </li>
  );
});

/** Disabled while the service would refuse a retry. A retry removes the button, so the input gets the focus. */
function RetryButton({ onClick }: { onClick(): void }) {
  const { conversation, strings, focusInput } = usePanel();
  const { notice } = useStore(conversation.store);
  const seconds = useCountdown(notice?.waitUntil);
  const retry = () => {
    onClick();
    focusInput();
  };
  return (
    <button type="button" class="plain" disabled={seconds > 0} onClick={retry}>
      {strings.error.retry}
    </button>
  );
}

function Sources({ sources }: { sources: readonly Source[] }) {
  const { strings } = usePanel();
  return (
    <div class="sources">
      <span>{strings.sources}</span>
      <ol>
        {sources.map(({ id, title, url }) => (
          <li key={id}>
            <Link href={url}>
              {title}
              {safeUrl(url) && <span class="hidden"> ({strings.opensInNewTab})</span>}
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}

function toolText({ tools, usingTool }: ReturnType<typeof usePanel>['strings'], name: string): string {
  return (Object.hasOwn(tools, name) && tools[name]) || usingTool(name.replaceAll('_', ' '));
}

const RATINGS = ['up', 'down'] as const;

/** Two buttons that rate a reply, and a field for the reason of a bad rating. */
function Rating({ message }: { message: Message }) {
  const { conversation, strings, focusInput } = usePanel();
  const [stage, setStage] = useState<'none' | 'asking' | 'thanked'>('none');
  const [comment, setComment] = useState('');

  const choose = (rating: 'up' | 'down') => {
    const isRemoved = message.rating === rating;
    setStage(rating === 'down' && !isRemoved ? 'asking' : 'none');
    void conversation.rate(message, isRemoved ? null : rating);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (comment.trim() !== '' && !(await conversation.rate(message, 'down', comment.trim()))) return;
    setStage('thanked');
    focusInput();
  };

  return (
    <div class="rating">
      {RATINGS.map((rating) => (
        <button
          key={rating}
          type="button"
          class="icon small"
          aria-label={strings.rating[rating]}
          aria-pressed={message.rating === rating}
          onClick={() => choose(rating)}
        >
          <Icon name={rating} />
        </button>
      ))}
      {stage === 'asking' && (
        <form onSubmit={(event) => void submit(event)}>
          <input
            aria-label={strings.rating.comment}
            placeholder={strings.rating.comment}
            maxLength={2_000}
            value={comment}
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
          <button type="submit" class="icon small" aria-label={strings.rating.send}>
            <Icon name="send" />
          </button>
        </form>
      )}
      {stage === 'thanked' && <span role="status">{strings.rating.thanks}</span>}
    </div>
  );
}

/** The products of a reply. Each is a link if it has a page. */
function ProductCards({ products }: { products: readonly Product[] }) {
  const { strings } = usePanel();
  return (
    <ul class="products" aria-label={strings.products}>
      {products.map((product) => (
        <li key={product.sku}>
          <Link href={product.url ?? undefined}>
            <Card product={product} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Card({ product }: { product: Product }) {
  const { strings } = usePanel();
  const { name, brand, url, pictureUrl } = product;
  const [isBroken, setBroken] = useState(false);
  const price = usePrice(product);
  return (
    <span class="product">
      {pictureUrl?.startsWith('https://') && !isBroken && (
        // The name says what it shows.
        <img
          src={pictureUrl}
          alt=""
          width={56}
          height={56}
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={() => setBroken(true)}
        />
      )}
      <span>
        <strong dir="auto">{name}</strong>
        {brand && <small dir="auto">{brand}</small>}
        {price && <span dir="auto">{price}</span>}
        {safeUrl(url ?? undefined) && <span class="hidden"> ({strings.opensInNewTab})</span>}
      </span>
    </span>
  );
}

/** The price with its unit, which may be a currency. */
function usePrice({ price, priceUnit }: Product): string | undefined {
  const { conversation } = usePanel();
  if (price === null) return undefined;
  const isAmount = priceUnit !== null && /^[A-Z]{3}$/.test(priceUnit) && price.trim() !== '' && Number.isFinite(Number(price));
  if (!isAmount) return priceUnit ? `${price} ${priceUnit}` : price;
  return new Intl.NumberFormat(conversation.context.language, { style: 'currency', currency: priceUnit }).format(Number(price));
}
