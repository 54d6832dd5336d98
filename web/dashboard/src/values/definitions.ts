import { useMemo } from 'react';
import type { AttributeDefinitionsQuery } from '../../.graph/graphql.ts';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { useLanguage } from '../strings/strings.tsx';

const DEFINITIONS = graphql(`
  query AttributeDefinitions {
    attributes(subject: product) {
      id slug name type options unit isActive
      translations { language name options { option label } }
    }
  }
`);

type Stored = Pick<AttributeDefinitionsQuery['attributes'][number], 'name' | 'translations'>;

/** An attribute of products, with its name and the labels of its options in the language of the reader. */
export interface Definition extends Omit<AttributeDefinitionsQuery['attributes'][number], 'translations'> {
  labels: ReadonlyMap<string, string>;
}

const translationOf = ({ translations }: Stored, language: string) =>
  translations.find((each) => each.language.split('-')[0] === language);

const nameIn = (attribute: Stored, language: string): string => translationOf(attribute, language)?.name ?? attribute.name;

/** The attributes of products by slug, sorted by name. Empty until they have loaded. */
export function useDefinitions(): ReadonlyMap<string, Definition> {
  const { language } = useLanguage();
  const [{ data }] = useQuery({ query: DEFINITIONS });
  return useMemo(() => {
    const definitions = (data?.attributes ?? []).map((attribute): Definition => {
      const labels = translationOf(attribute, language)?.options.map(({ option, label }) => [option, label] as const);
      return { ...attribute, name: nameIn(attribute, language), labels: new Map(labels) };
    });
    definitions.sort((one, other) => one.name.localeCompare(other.name, language));
    return new Map(definitions.map((each) => [each.slug, each]));
  }, [data, language]);
}
