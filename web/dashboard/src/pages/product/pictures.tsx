import { Anchor, Center, Group, Image, Loader, Paper, Text } from '@mantine/core';
import { IconPhotoOff } from '@tabler/icons-react';
import type { ProductPageQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';

const CONTENT = graphql(`query PictureContent($id: ID!) { productImageContent(id: $id) }`);

type Picture = ProductPageQuery['product']['images'][number];
/** Pictures that the page loads. */
const SHOWN = 6;

/** The pictures of a product. The server reads them, so that the browser of the reader visits no other host. */
export function Pictures({ images }: { images: readonly Picture[] }) {
  const { products } = useStrings();
  const web = images.filter(({ url }) => /^https?:\/\//i.test(url));
  if (web.length === 0) return null;
  return (
    <Group component="section" aria-label={products.images} gap="sm" mb="md" align="stretch">
      {web.slice(0, SHOWN).map((picture) => (
        <Tile key={picture.id} picture={picture} />
      ))}
      {web.length > SHOWN && (
        <Center>
          <Note>{products.morePictures(web.length - SHOWN)}</Note>
        </Center>
      )}
    </Group>
  );
}

function Tile({ picture: { id, url, alt } }: { picture: Picture }) {
  const { products } = useStrings();
  const [{ data, fetching }] = useQuery({ query: CONTENT, variables: { id }, requestPolicy: 'cache-first' });
  const content = data?.productImageContent;
  return (
    <Anchor size="md" href={url} target="_blank" rel="noopener noreferrer" aria-label={alt || products.picture}>
      <Paper withBorder w={140} h={140} style={{ overflow: 'hidden' }}>
        {content ? (
          <Image src={content} alt="" w={140} h={140} fit="contain" />
        ) : (
          <Center h="100%" p="xs" style={{ flexDirection: 'column' }}>
            {fetching ? <Loader size="sm" type="dots" /> : <IconPhotoOff size={24} stroke={1.5} aria-hidden />}
            <Text size="xs" ta="center" lineClamp={3} mt={4}>
              {alt || new URL(url).host}
            </Text>
          </Center>
        )}
      </Paper>
    </Anchor>
  );
}
