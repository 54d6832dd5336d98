const parts = `
  fragment Person on User { id username name }
  fragment Opinion on Review { id body }
  fragment Article on Product { inStock name price shippingEstimate upc weight }
`;

/** The queries: heavy visits all four subgraphs repeatedly, medium visits each once, small visits two. */
export const queries: Record<string, string> = {
  heavy: `
    query Heavy {
      users {
        ...Person
        reviews {
          ...Opinion
          product {
            ...Article
            reviews {
              ...Opinion
              author { ...Person reviews { ...Opinion product { ...Article } } }
            }
          }
        }
      }
      topProducts {
        ...Article
        reviews {
          ...Opinion
          author { ...Person reviews { ...Opinion product { ...Article } } }
        }
      }
    }
    ${parts}
  `,
  medium: `
    query Medium {
      topProducts { ...Article reviews { ...Opinion author { ...Person } } }
    }
    ${parts}
  `,
  small: `
    query Small {
      topProducts { upc name price inStock }
    }
  `,
};
