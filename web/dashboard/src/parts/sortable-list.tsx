import { DragDropContext, Draggable, Droppable, type DropResult } from '@hello-pangea/dnd';
import { Center, Group, Paper, Stack } from '@mantine/core';
import { IconGripVertical } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useStrings } from '../strings/strings.tsx';

interface Props {
  label: string;
  /** Unique keys in the current order. */
  keys: readonly string[];
  /** The name of an entry for screen readers. */
  nameOf(key: string): string;
  children(key: string): ReactNode;
  onMove(from: number, to: number): void;
  disabled?: boolean;
}

/** A list whose order changes by drag, or by keyboard: space lifts and drops an entry, arrow keys move it. */
export function SortableList({ label, keys, nameOf, children, onMove, disabled }: Props) {
  const { sorting } = useStrings();
  const drop = ({ source, destination }: DropResult) => {
    if (destination && destination.index !== source.index) onMove(source.index, destination.index);
  };
  return (
    <DragDropContext
      dragHandleUsageInstructions={sorting.instructions}
      onDragStart={({ draggableId, source }, { announce }) =>
        announce(sorting.lifted(nameOf(draggableId), source.index + 1, keys.length))
      }
      onDragUpdate={({ destination }, { announce }) => destination && announce(sorting.moved(destination.index + 1, keys.length))}
      onDragEnd={(result, { announce }) => {
        announce(result.destination ? sorting.dropped(result.destination.index + 1) : sorting.canceled);
        drop(result);
      }}
    >
      <Droppable droppableId={label}>
        {(list) => (
          <Stack
            component="ul"
            aria-label={label}
            gap={0}
            m={0}
            p={0}
            style={{ listStyle: 'none' }}
            ref={list.innerRef}
            {...list.droppableProps}
          >
            {keys.map((key, index) => (
              <Draggable key={key} draggableId={key} index={index} isDragDisabled={disabled}>
                {(entry, { isDragging }) => (
                  <Paper
                    component="li"
                    withBorder
                    shadow={isDragging ? 'md' : undefined}
                    px="xs"
                    py={6}
                    mb={6}
                    ref={entry.innerRef}
                    {...entry.draggableProps}
                  >
                    <Group wrap="nowrap" gap="xs">
                      <Center {...entry.dragHandleProps} aria-label={sorting.handle(nameOf(key))} style={{ cursor: 'grab' }}>
                        <IconGripVertical size={18} stroke={1.5} aria-hidden />
                      </Center>
                      {children(key)}
                    </Group>
                  </Paper>
                )}
              </Draggable>
            ))}
            {list.placeholder}
          </Stack>
        )}
      </Droppable>
    </DragDropContext>
  );
}

/** A copy of the list with one entry moved. */
export function moved<Entry>(list: readonly Entry[], from: number, to: number): Entry[] {
  const copy = [...list];
  copy.splice(to, 0, ...copy.splice(from, 1));
  return copy;
}
