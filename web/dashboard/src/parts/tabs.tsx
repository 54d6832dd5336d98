import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import classes from './tabs.module.css';

interface Props {
  label: string;
  value: string;
  tabs: { value: string; label: ReactNode }[];
  /** The address of a tab, so that the back button works. */
  addressOf(value: string): string;
  /** The content of the active tab. */
  children: ReactNode;
}

/** The tabs of a page, each with an address of its own. They scroll on narrow screens. */
export function PageTabs({ label, value, tabs, addressOf, children }: Props) {
  const navigate = useNavigate();
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is active.
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
  return (
    <Tabs
      value={value}
      onChange={(next) => next && navigate(addressOf(next))}
      activateTabWithKeyboard={false}
      keepMounted={false}
      className={classes.fill}
    >
      <Tabs.List ref={list} aria-label={label}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} value={tab.value} className={tab.value === value ? classes.fill : undefined} pt="md">
          {tab.value === value && children}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
