import { useState } from 'preact/hooks';
import type { Message } from '../chat/message.ts';
import { usePanel } from './context.ts';
import { Icon } from './icons.tsx';

const RATINGS = ['up', 'down'] as const;

/** Two buttons that rate a reply, and a field for the reason of a bad rating. */
export function Rating({ message }: { message: Message }) {
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
