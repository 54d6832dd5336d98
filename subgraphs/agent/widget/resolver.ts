import { Arg, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../common/scope.ts';
import * as widget from './service.ts';
import { WidgetConfig } from './types.ts';

@Resolver()
export class WidgetResolver {
  @Authorized('public')
  @Query(() => WidgetConfig, { description: 'The configuration of an embedded widget.' })
  widgetConfig(@Ctx() scope: RequestScope, @Arg('publicSlug', () => String) publicSlug: string) {
    return widget.readConfig(scope, publicSlug);
  }
}
