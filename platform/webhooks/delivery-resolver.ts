import {
  Arg,
  Authorized,
  type ClassType,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import { Id } from '../fields/index.ts';
import { ListSize } from '../lists/index.ts';
import type { RequestScope } from '../scope/index.ts';
import { deliveriesOf } from './deliveries.ts';
import { attemptsOf, bodyOf, MAX_ATTEMPTS } from './delivery-log.ts';
import {
  AFTER,
  type Attempt,
  BODY,
  Delivery,
  type DeliveryFields,
  DeliveryRange,
  DeliveryReplay,
  type DeliveryUpdateFields,
  WebhookAttempt,
} from './entity.ts';
import type { WebhookSurface } from './policies.ts';
import { replayDelivery } from './replay.ts';
import { ReceivedDelivery, SignatureReport } from './signature/signature-check.ts';

/** The operations on the deliveries of one surface. The surface adds the list, whose pages and events differ. */
export interface DeliveryApi {
  surface: WebhookSurface;
  /** Name of a delivery in fields, such as `eventDelivery`, `replayEventDelivery` and `checkEventSignature` for `event`. */
  name: 'webhook' | 'event' | 'siteWebhook';
  delivery: ClassType<DeliveryFields>;
  update: ClassType<DeliveryUpdateFields>;
  /** The mutation that sends a sample, its description, and whether the schema lists it after the replay of one delivery. */
  test: { name: string; description: string; isLast?: true };
  /** The argument that names a subscription, and the nouns of descriptions. */
  subscription: { argument: string; noun: string; ofDelivery: string };
  /** Restricts sending, and reading what may contain drafts. By default every member may do both. */
  editors?: Editors;
}

interface Editors {
  /** The sentence about it in descriptions. */
  rule: string;
  /** Throws `NOT_FOUND` and `FORBIDDEN`. */
  require(scope: RequestScope, subscriptionId: string): Promise<void>;
  /** Whether the caller may read bodies and responses. */
  mayRead(scope: RequestScope, subscriptionId: string): Promise<boolean>;
}

/** Receivers may repeat the body. */
const NO_SNIPPET = '`responseSnippet` is null for callers who may not edit the workspace.';

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Resolvers of one delivery, of its fields, and of the updates of a subscription. */
export function deliveryFields({ surface, name, delivery, update, editors }: DeliveryApi) {
  const { find } = deliveriesOf(surface);
  const mayRead = editors?.mayRead ?? (async () => true);

  @Resolver(() => delivery)
  class DeliveryResolver {
    @Authorized('member')
    @Query(() => delivery, { nullable: true, name: `${name}Delivery`, description: 'One delivery of the last 30 days.' })
    find(@Ctx() scope: RequestScope, @Id() id: string) {
      return find(scope, id);
    }

    @FieldResolver(() => String, {
      nullable: editors !== undefined,
      description: editors ? `${BODY} It can contain drafts, so it is null for callers who may not edit the workspace.` : BODY,
    })
    async body(@Ctx() scope: RequestScope, @Root() { id, subscriptionId }: Delivery) {
      return (await mayRead(scope, subscriptionId)) ? bodyOf(scope, surface, id) : null;
    }

    @ListSize(MAX_ATTEMPTS)
    @FieldResolver(() => [WebhookAttempt], {
      description: ['The latest 100 attempts, oldest first.', ...(editors ? [NO_SNIPPET] : [])].join(' '),
    })
    async log(@Ctx() scope: RequestScope, @Root() { id, subscriptionId }: Delivery) {
      const [attempts, isReader] = await Promise.all([attemptsOf(scope, id), mayRead(scope, subscriptionId)]);
      return isReader ? attempts : attempts.map(withoutResponse);
    }
  }

  @Resolver(() => update)
  class DeliveryUpdateResolver {
    @FieldResolver(() => WebhookAttempt, { description: editors && NO_SNIPPET })
    async attempt(@Ctx() scope: RequestScope, @Root() { attempt }: { attempt: Attempt }) {
      // Reads the role anew, because it may change while a caller follows the updates.
      return (await mayRead(scope, attempt.subscriptionId!)) ? attempt : withoutResponse(attempt);
    }

    @FieldResolver(() => delivery, { description: 'The current state of the delivery.' })
    delivery(@Ctx() scope: RequestScope, @Root() { deliveryId }: { deliveryId: string }) {
      return scope.load(Delivery, deliveryId);
    }
  }
  return [DeliveryResolver, DeliveryUpdateResolver] as const;
}

const withoutResponse = (attempt: Attempt): Attempt => ({ ...attempt, responseSnippet: null });

/** The resolvers of the operations that send deliveries, follow them, and explain their signatures. */
export function deliveryOperations({ surface, name, delivery, update, test, subscription, editors }: DeliveryApi) {
  const deliveries = deliveriesOf(surface);
  const { argument, noun, ofDelivery } = subscription;
  const Name = capitalized(name);
  const requireEditor = editors?.require ?? (async () => {});
  const described = (text: string) => [text, ...(editors ? [editors.rule] : [])].join(' ');
  /** A delivery with restricted access is named together with its subscription. Every parameter needs a source, or the later ones shift. */
  const Owner = editors ? Arg(argument, () => ID) : Ctx();

  const declareTest = () => {
    @Resolver()
    class DeliveryTestResolver {
      @Authorized('member')
      @Mutation(() => delivery, { name: test.name, description: described(test.description) })
      async test(@Ctx() scope: RequestScope, @Id() id: string) {
        await requireEditor(scope, id);
        return deliveries.test(scope, id);
      }
    }
    return DeliveryTestResolver;
  };

  const declareReplay = () => {
    @Resolver()
    class DeliveryReplayResolver {
      @Authorized('member')
      @Mutation(() => delivery, {
        name: `replay${Name}Delivery`,
        description: described('Send a delivery again, with the same id and body.'),
      })
      async replay(@Ctx() scope: RequestScope, @Owner owner: string | RequestScope, @Id() id: string) {
        if (typeof owner !== 'string') return replayDelivery(scope, id, { surface });
        await requireEditor(scope, owner);
        return replayDelivery(scope, id, { surface, subscriptionId: owner.toLowerCase() });
      }
    }
    return DeliveryReplayResolver;
  };

  // The order of the declarations is that of the fields in the emitted schema.
  const ofOne = test.isLast ? [declareReplay(), declareTest()] : [declareTest(), declareReplay()];

  @Resolver()
  class DeliveryOperationsResolver {
    @Authorized('member')
    @Mutation(() => DeliveryReplay, {
      name: `replay${Name}Deliveries`,
      description: described(
        `Send up to 100,000 deliveries of ${noun} again, oldest first, with the same ids and bodies. This runs in the background.`,
      ),
    })
    async replayRange(
      @Ctx() scope: RequestScope,
      @Arg(argument, () => ID) subscriptionId: string,
      @Arg('range', () => DeliveryRange) range: DeliveryRange,
    ) {
      await requireEditor(scope, subscriptionId);
      return deliveries.replayRange(scope, subscriptionId, range);
    }

    @Authorized('member')
    @Query(() => DeliveryReplay, {
      nullable: true,
      name: `${name}DeliveryReplay`,
      description: 'A replay by id. Replays are stored for 30 days after their end.',
    })
    findReplay(@Ctx() scope: RequestScope, @Id() id: string) {
      return deliveries.findReplay(scope, id);
    }

    @Authorized('member')
    @Mutation(() => DeliveryReplay, {
      name: `stop${Name}DeliveryReplay`,
      description: described('Stop a running replay. Deliveries that it has scheduled are still sent.'),
    })
    async stopReplay(@Ctx() scope: RequestScope, @Id() id: string) {
      if (editors) await editors.require(scope, (await deliveries.findReplay(scope, id)).subscriptionId);
      return deliveries.stopReplay(scope, id);
    }

    @Authorized('member')
    @ListSize(2)
    @Query(() => [SignatureReport], {
      name: `check${Name}Signature`,
      description: `Explain why the signatures of a delivery of ${ofDelivery} are accepted or rejected: time, encoding, secret, id, and changes of the body by a parser.`,
    })
    checkSignatures(@Ctx() scope: RequestScope, @Arg('input', () => ReceivedDelivery) input: ReceivedDelivery) {
      return deliveries.checkSignatures(scope, input);
    }

    @Authorized('member')
    @Subscription(() => update, {
      name: `${name}DeliveryUpdates`,
      description: `All attempts of ${noun}, in order, until it is deleted. A client that reconnects with the last \`sequence\` misses none of the last 30 days.`,
      subscribe: ({ context, args }) => deliveries.follow(context as RequestScope, args[argument], args.after),
    })
    updates(
      @Root() update: DeliveryUpdateFields,
      @Arg(argument, () => ID) _subscriptionId: string,
      @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
    ): DeliveryUpdateFields {
      return update;
    }
  }
  return [...ofOne, DeliveryOperationsResolver] as const;
}
