/** The records of the benchmark shop, similar in number and size to those of public gateway benchmarks. */
export const users = [
  { id: '1', name: 'Marta Okonkwo', username: 'marta', birthday: 1987 },
  { id: '2', name: 'Teun de Graaf', username: 'teun', birthday: 1979 },
  { id: '3', name: 'Aiko Lindqvist', username: 'aiko', birthday: 1994 },
  { id: '4', name: 'Rafael Mbeki', username: 'rafael', birthday: 1968 },
  { id: '5', name: 'Signe Haddad', username: 'signe', birthday: 2001 },
  { id: '6', name: 'Lorenzo Petrov', username: 'lorenzo', birthday: 1990 },
];

export const products = [
  { upc: '1', name: 'Rowing bench', price: 1_240, weight: 140, inStock: true },
  { upc: '2', name: 'Oak bookshelf', price: 349, weight: 620, inStock: true },
  { upc: '3', name: 'Copper kettle', price: 79, weight: 19, inStock: false },
  { upc: '4', name: 'Wool blanket', price: 118, weight: 24, inStock: true },
  { upc: '5', name: 'Garden scythe', price: 164, weight: 31, inStock: false },
  { upc: '6', name: 'Reading lamp', price: 92, weight: 17, inStock: true },
  { upc: '7', name: 'Bread oven', price: 1_890, weight: 890, inStock: true },
  { upc: '8', name: 'Folding ladder', price: 205, weight: 112, inStock: true },
  { upc: '9', name: 'Chess set', price: 57, weight: 14, inStock: false },
];

export const reviews = [
  { id: '1', author: '1', product: '1', body: 'Sturdy and silent; the whole house uses it now.' },
  { id: '2', author: '1', product: '2', body: 'Every board was straight.' },
  { id: '3', author: '2', product: '3', body: 'It sings before it boils.' },
  { id: '4', author: '2', product: '1', body: 'Takes up more of the room than I thought it would.' },
  { id: '5', author: '3', product: '4', body: 'Warm without being heavy.' },
  { id: '6', author: '3', product: '5', body: 'Came with a whetstone, which was kind.' },
  { id: '7', author: '4', product: '2', body: 'One shelf was missing and arrived two days later.' },
  { id: '8', author: '4', product: '3', body: 'The handle gets hot.' },
  { id: '9', author: '5', product: '5', body: 'My meadow has never looked better.' },
  { id: '10', author: '6', product: '4', body: 'The cat has claimed it.' },
  { id: '11', author: '6', product: '1', body: 'Worth every cent after a winter of training.' },
];
