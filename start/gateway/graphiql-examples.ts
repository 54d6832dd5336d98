/** Operations that work on the sample catalog of `npm start`. */
export const graphiqlExamples = `# Paste an API key into the headers below, and run an operation. The documentation is on the left.

query Products {
  products(limit: 5, filter: { missingAttribute: "material" }) {
    nodes {
      sku
      name
      brandSummary { name productCount }
      latestJob { id status }
    }
    endCursor
  }
}

query Numbers {
  catalogStats {
    products
    enriched
    attributes { attribute { name } fillRate meanConfidence }
  }
  reviewCount
  creditUsage(by: kind) { total rows { kind credits } }
}

query Review {
  reviewQueue(limit: 5) {
    nodes { product { name } slug confidence proposed { value } }
  }
}

subscription Live {
  jobsChanged {
    sequence
    credits
    reviewCount
    jobs { id kind status processedCount totalCount }
  }
}
`;
