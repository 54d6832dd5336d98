import { useState } from 'preact/hooks';
import type { Product } from '../chat/message.ts';
import { usePanel } from './hooks.ts';
import { Link, safeUrl } from './markdown.tsx';

/** The products of a reply. Each is a link if it has a page. */
export function ProductCards({ products }: { products: readonly Product[] }) {
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
