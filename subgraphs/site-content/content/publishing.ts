import { Arg, type ClassType, Ctx, Mutation, Resolver } from 'type-graphql';
import { clock } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { DeletedContent, EDITORS, type PublishableRecord } from './entity.ts';

/** The mutations of one type of records that change their publication, and the one that deletes them. */
interface PublicationApi<T extends PublishableRecord> {
  type: ClassType<T>;
  /** Name of a record in mutations, such as `publishPage` for `Page`, and in descriptions, such as `a page`. */
  name: string;
  noun: string;
  /** Changes the publication of a record by `edit`, and emits the event of it. */
  change(scope: RequestScope, id: string, edit: (record: T) => void): Promise<T>;
  deletion: { description: string; run(scope: RequestScope, id: string): Promise<DeletedContent> };
}

export function publicationOf<T extends PublishableRecord>({ type, name, noun, change, deletion }: PublicationApi<T>) {
  @Access('member')
  @Resolver()
  class PublicationResolver {
    @Mutation(() => type, {
      name: `publish${name}`,
      description: `Publish ${noun}. Publishing it again updates \`publishedAt\`. ${EDITORS}`,
    })
    publish(@Ctx() scope: RequestScope, @Id() id: string) {
      return change(scope, id, publish);
    }

    @Mutation(() => type, {
      name: `unpublish${name}`,
      description: `Turn ${noun} back into a draft, or cancel its schedule. ${EDITORS}`,
    })
    unpublish(@Ctx() scope: RequestScope, @Id() id: string) {
      return change(scope, id, unpublish);
    }

    @Mutation(() => type, {
      name: `schedule${name}`,
      description: `Publish ${noun} at a later time. Until then it is not visible. ${EDITORS}`,
    })
    schedule(
      @Ctx() scope: RequestScope,
      @Id() id: string,
      @Arg('publishAt', () => Date, { description: 'In the future.' }) publishAt: Date,
    ) {
      return change(scope, id, (record) => schedule(record, publishAt));
    }

    @Mutation(() => DeletedContent, { name: `delete${name}`, description: `${deletion.description} ${EDITORS}` })
    delete(@Ctx() scope: RequestScope, @Id() id: string) {
      return deletion.run(scope, id);
    }
  }
  return PublicationResolver;
}

/** Publish a record now, or update the time of its publication. */
export function publish(record: PublishableRecord): void {
  record.status = 'published';
  record.publishedAt = clock.now();
  record.publishAt = null;
}

/** Turn a record back into a draft. This also cancels its scheduled publication. */
function unpublish(record: PublishableRecord): void {
  record.status = 'draft';
  record.publishedAt = null;
  record.publishAt = null;
}

/** Schedule the publication of a record. Throws `INVALID_INPUT` for a time in the past. */
function schedule(record: PublishableRecord, publishAt: Date): void {
  if (publishAt.getTime() <= clock.ms()) throw fail('INVALID_INPUT', 'publishAt must be in the future');
  if (publishAt.getUTCFullYear() > 9_999) throw fail('INVALID_INPUT', 'publishAt must be before the year 10000');
  record.status = 'scheduled';
  record.publishAt = publishAt;
  record.publishedAt = null;
}
