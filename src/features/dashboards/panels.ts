import type { Panel, Query } from './dashboard.ts'

type Texts = Pick<Panel, 'title' | 'description' | 'unit'>

/** Returns a query. `mayBeEmpty`: why a running system may have no data for it. */
export function query(expr: string, legend: string, mayBeEmpty?: string): Query {
  return { expr, legend, ...(mayBeEmpty === undefined ? {} : { mayBeEmpty }) }
}

/** Returns a panel with the course of values. */
export function graph(texts: Texts, ...queries: readonly Query[]): Panel {
  return { ...texts, kind: 'timeseries', queries }
}

/** Returns a panel with the last value. */
export function stat(texts: Texts & Pick<Panel, 'thresholds'>, ...queries: readonly Query[]): Panel {
  return { ...texts, kind: 'stat', queries }
}

/** Returns a panel with the last values and their labels. */
export function table(texts: Texts, ...queries: readonly Query[]): Panel {
  return { ...texts, kind: 'table', queries }
}

/** Rate of a counter in the range that Grafana chooses for the resolution of a graph. */
export function rate(counter: string): string {
  return `rate(${counter}[$__rate_interval])`
}

/** Quantile of a histogram, by labels. `selector`: label matchers with braces, or nothing. */
export function quantile(share: number, histogram: string, selector: string, by: readonly string[]): string {
  return `histogram_quantile(${share}, sum by (${['le', ...by].join(', ')}) (${rate(`${histogram}_bucket${selector}`)}))`
}
