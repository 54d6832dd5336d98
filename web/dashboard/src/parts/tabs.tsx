import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
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

interface RecordTabsProps {
  value: string;
  onChange(value: string): void;
  tabs: { value: string; label: string; content: ReactNode }[];
}

/** The tabs of a record. One that the record does not have shows the first. */
export function RecordTabs({ value, onChange, tabs }: RecordTabsProps) {
  const shown = tabs.some((tab) => tab.value === value) ? value : tabs[0]!.value;
  return (
    <Tabs value={shown} onChange={(next) => next && onChange(next)} keepMounted={false}>
      <Tabs.List mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} value={tab.value}>
          {tab.content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The tabs of a page, each with an address of its own. */
export function PageTabs({ label, value, tabs, addressOf, children }: Props) {
  const navigate = useNavigate();
  return (
    <Tabs
      value={value}
      onChange={(next) => next && navigate(addressOf(next))}
      activateTabWithKeyboard={false}
      keepMounted={false}
      className={classes.fill}
    >
      <Tabs.List aria-label={label}>
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
