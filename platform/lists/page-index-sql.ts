/** Rows of a new entry of the index, and of an entry that is divided. */
const [SIZE, MAX] = [1_000, 2_000];
const ZERO = `'00000000-0000-0000-0000-000000000000'::uuid`;
/** A time as text that sorts like the time. */
const TIME = `to_char(%s at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US')`;

/** A table whose lists have a page index: entries that count about a thousand rows each, so that deep pages are found without reading the rows before them. */
export interface PageIndexDefinition {
  /** The table of the index, with its schema. */
  index: `${string}.${string}`;
  table: string;
  /** The column whose value is the list, and the table that it references. */
  list: string;
  parent: string;
  /** Columns by which a list is sorted, before the id. Each needs an index of the list, the column and the id. */
  sorts: Record<string, { time?: boolean; nullable?: boolean }>;
  /** Columns of the index, each with the condition of the rows that it counts, on the table as `c`. */
  classes: Record<string, string>;
  /** Prefix of the triggers, whose names decide which locks a statement takes first. */
  triggers: string;
}

/** Creates the page index of the lists of a table, and the triggers that maintain it. A list has no entries until `<index>_build` makes them. */
export function createPageIndex(definition: PageIndexDefinition): string {
  const { index, table, parent, classes, triggers: prefix } = definition;
  return `
      -- An entry starts at this value and id and ends before the next entry. Rows without a value come last.
      create table ${index} (
        list_id uuid not null references ${parent} on delete cascade deferrable initially deferred,
        sort text not null, missing boolean not null, start text not null, start_id uuid not null,
        ${namesOf(classes, (name) => `${name} integer not null default 0`)},
        primary key (list_id, sort, missing, start, start_id)
      ) with (fillfactor = 70);
      ${divide(definition)}
      ${changeFunctions(definition).join('\n')}
      ${build(definition)}
      ${EVENTS.map(
        ([event, transitions]) => `
      create trigger ${prefix}_after_${event} after ${event} on ${table} referencing ${transitions}
        for each statement execute function ${index}_${event}();`,
      ).join('')}`;
}

const EVENTS = [
  ['insert', 'new table as after_rows'],
  ['delete', 'old table as before_rows'],
  ['update', 'new table as after_rows old table as before_rows'],
] as const;

const namesOf = (classes: PageIndexDefinition['classes'], format: (name: string) => string, separator = ', ') =>
  Object.keys(classes).map(format).join(separator);

const lock = ({ index }: PageIndexDefinition, id: string) => `pg_advisory_xact_lock(hashtextextended('${index} ' || ${id}, 0))`;

const divide = ({ index, table, list, classes }: PageIndexDefinition) => `
      -- Counts the rows of one entry again and divides it into entries of ${SIZE}.
      create function ${index}_divide(list uuid, by_column text, is_time boolean, lacks boolean, first text, first_id uuid)
      returns void language plpgsql as $$
      declare
        key text := case when is_time then format('${TIME.replaceAll("'", "''")}', by_column) else format('coalesce(%I, '''')', by_column) end;
        value text := case when is_time then '(%s::timestamp at time zone ''utc'')' else '%s' end;
        bounds text := format('c.%I is %s null', by_column, case when lacks then '' else 'not' end);
        following record;
      begin
        select start, start_id into following from ${index} r
         where r.list_id = list and r.sort = by_column and r.missing = lacks and (r.start, r.start_id) > (first, first_id)
         order by r.start, r.start_id limit 1;
        if first_id <> ${ZERO} then
          bounds := bounds || case when lacks then ' and id >= $3' else format(' and (%I, id) >= (' || format(value, '$2') || ', $3)', by_column) end;
        end if;
        if following is not null then
          bounds := bounds || case when lacks then ' and id < $5' else format(' and (%I, id) < (' || format(value, '$4') || ', $5)', by_column) end;
        end if;
        execute format($text$
          with numbered as materialized (
            select c.*, row_number() over (order by sorted, id) - 1 as n from (
              select %1$s as key, %2$I as sorted, id, ${namesOf(classes, (name) => `${classes[name]} as ${name}`)} from ${table} c
               where ${list} = $1 and %3$s) c),
          counted as (select n / ${SIZE} as part, ${namesOf(classes, (name) => `count(*) filter (where ${name}) as ${name}`)} from numbered group by 1)
          insert into ${index} (list_id, sort, missing, start, start_id, ${namesOf(classes, (name) => name)})
          select $1, $6, $7, case part when 0 then $2 else key end, case part when 0 then $3 else id end, ${namesOf(classes, (name) => `p.${name}`)}
            from counted p join numbered s on s.n = p.part * ${SIZE}
          on conflict (list_id, sort, missing, start, start_id)
          do update set ${namesOf(classes, (name) => `${name} = excluded.${name}`)}$text$, key, by_column, bounds)
        using list, first, first_id, following.start, following.start_id, by_column, lacks;
      end $$;`;

const build = (definition: PageIndexDefinition) => `
      -- Creates the entries of one order of a list. Writers of the list wait meanwhile.
      create function ${definition.index}_build(list uuid, by_column text, is_time boolean) returns void language plpgsql as $$
      begin
        perform ${lock(definition, 'list')};
        if exists (select 1 from ${definition.index} where list_id = list and sort = by_column) then return; end if;
        insert into ${definition.index} (list_id, sort, missing, start, start_id)
        select list, by_column, lacks, '', ${ZERO} from unnest('{false,true}'::boolean[]) lacks;
        perform ${definition.index}_divide(list, by_column, is_time, lacks, '', ${ZERO}) from unnest('{false,true}'::boolean[]) lacks;
      end $$;`;

function changeFunctions(definition: PageIndexDefinition): string[] {
  const { list, parent, sorts, classes } = definition;
  const columnsOf = (row: string) => Object.keys(sorts).map((column) => `${row}.${column}`);
  const stateOf = (row: string) =>
    `(${[...columnsOf(row), ...Object.values(classes).map((condition) => condition.replaceAll('c.', `${row}.`))].join(', ')})`;
  // A full join, because another one would take quadratic time for many rows, after a connection made its plan for one.
  const isChanged = `from after_rows a full join before_rows b using (id) where ${stateOf('a')} is distinct from ${stateOf('b')}`;
  const rowsOf = (rows: string, n: number) =>
    `select c.${list} as list_id, c.id, ${columnsOf('c').join(', ')}, ${n} as n, ${namesOf(classes, (name) => `${classes[name]} as ${name}`)} from ${rows} c`;
  const exists = (rows: string) => `where exists (select 1 from ${parent} p where p.id = ${rows}.${list})`;
  return [
    changeFunction(definition, 'insert', { changed: 'after_rows', changes: rowsOf('after_rows', 1) }),
    // The index of a deleted parent ends with it.
    changeFunction(definition, 'delete', { changed: 'before_rows', changes: `${rowsOf('before_rows', -1)} ${exists('c')}` }),
    changeFunction(definition, 'update', {
      changed: 'after_rows',
      unless: `select 1 ${isChanged}`,
      changes: `
          with changed as materialized (select a.id ${isChanged})
          ${rowsOf('after_rows', 1)} where c.id in (select id from changed)
          union all ${rowsOf('before_rows', -1)} where c.id in (select id from changed)`,
    }),
  ];
}

function changeFunction(
  definition: PageIndexDefinition,
  event: string,
  { changed, unless, changes }: { changed: string; unless?: string; changes: string },
): string {
  const { index, list, parent } = definition;
  return `
      create function ${index}_${event}() returns trigger language plpgsql as $$
      declare entry record;
      begin
        ${unless ? `if not exists (${unless}) then return null; end if;` : ''}
        perform ${lock(definition, 'l.id')} from (
          select distinct c.${list} as id from ${changed} c where exists (select 1 from ${parent} p where p.id = c.${list}) order by 1) l;
        if not exists (select 1 from ${index} where list_id in (select ${list} from ${changed})) then return null; end if;
        ${apply(definition, changes)}
        return null;
      end $$;`;
}

/** Adds changes to their entries, and divides the entries that grew too large. */
function apply({ index, sorts, classes }: PageIndexDefinition, changes: string): string {
  const keys = Object.entries(sorts).map(([sort, { time = false, nullable }]) => {
    const key = time ? TIME.replace('%s', `c.${sort}`) : `coalesce(c.${sort}, '')`;
    return `('${sort}', ${time}, ${nullable ? `c.${sort} is null` : 'false'}, ${key})`;
  });
  const key = ['list_id', 'sort', 'missing', 'start', 'start_id'];
  return `
        for entry in
          with moved as (
            select c.list_id, s.sort, s.is_time, s.missing, r.start, r.start_id,
                   ${namesOf(classes, (name) => `coalesce(sum(c.n) filter (where c.${name}), 0)::int as ${name}`)}
              from (${changes}) c
              cross join lateral (values ${keys.join(', ')}) s (sort, is_time, missing, key)
              cross join lateral (
                select start, start_id from ${index}
                 where list_id = c.list_id and sort = s.sort and missing = s.missing and (start, start_id) <= (s.key, c.id)
                 order by start desc, start_id desc limit 1) r
             group by 1, 2, 3, 4, 5, 6)
          update ${index} r set ${namesOf(classes, (name) => `${name} = r.${name} + m.${name}`)}
            from moved m
           where (${key.map((name) => `r.${name}`).join(', ')}) = (${key.map((name) => `m.${name}`).join(', ')})
             and (${namesOf(classes, (name) => `m.${name} <> 0`, ' or ')})
          returning r.*, m.is_time
        loop
          if ${namesOf(classes, (name) => `entry.${name}`, ' + ')} > ${MAX} then
            perform ${index}_divide(entry.list_id, entry.sort, entry.is_time, entry.missing, entry.start, entry.start_id);
          end if;
        end loop;`;
}
