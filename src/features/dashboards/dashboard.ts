/** A query of a panel. */
export interface Query {
  /** PromQL. `$namespace`, `$name`, `$node` and `$__rate_interval` are filled in by Grafana. */
  readonly expr: string
  /** Name of a series: `{{node}}` is replaced by the value of its label. */
  readonly legend: string
  /** Why a running system may have no data for it. Absent: with one guest it has. */
  readonly mayBeEmpty?: string
}

/** Units of values, by Grafana's names. */
export type Unit = 'short' | 'percentunit' | 's' | 'bytes' | 'Bps' | 'ops' | 'reqps' | 'cps' | 'dateTimeFromNow'

/** A graph, the last values, or a list of them. */
export interface Panel {
  readonly title: string
  /** What it shows, and what to look for. */
  readonly description: string
  readonly kind: 'timeseries' | 'stat' | 'table'
  readonly unit: Unit
  readonly queries: readonly Query[]
  /** Values of a stat from which on it is yellow, and red. Default: it has no colour. */
  readonly thresholds?: { readonly warning?: number; readonly critical?: number }
}

/** A choice of the viewer. */
export type Variable = 'namespace' | 'name' | 'node'

/** A page of panels. */
export interface Dashboard {
  /** Name of its file, and a part of its stable address in Grafana. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** Choices that its queries use. */
  readonly variables: readonly Variable[]
  /** True if one namespace and one name are chosen, otherwise any number of them. */
  readonly isOfOneGuest?: boolean
  /** Rows of panels, with a heading each. */
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[]
}
