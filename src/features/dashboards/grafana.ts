import type { Dashboard, Panel, Query, Variable } from './dashboard.ts'

/** Version of the format that Grafana 10.0 writes. Later versions migrate it when it is loaded. */
const schemaVersion = 38
/** Width of a dashboard in Grafana's grid. */
const columns = 24
/** Width of a graph or a table, and height by kind. */
const [wide, heights] = [12, { stat: 4, timeseries: 8, table: 8 }] as const

const datasource = { type: 'prometheus', uid: '${datasource}' } as const
/** Grafana names the queries of a panel by letters. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/**
 * Renders a dashboard in Grafana's format. It has no numeric ids, which belong to a server; its uid
 * is stable, so that an import replaces an earlier one. Pure.
 */
export function grafanaDashboard(dashboard: Dashboard): object {
  const { name, title, description, variables, isOfOneGuest = false, rows } = dashboard
  return {
    uid: `steadyvm-${name}`,
    title,
    description,
    tags: ['steadyvm', 'kubevirt'],
    schemaVersion,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    links: [
      {
        type: 'dashboards',
        title: 'steadyvm',
        tags: ['steadyvm'],
        asDropdown: true,
        keepTime: true,
        includeVars: true,
        targetBlank: false,
        icon: 'external link',
      },
    ],
    templating: { list: [datasourceVariable, ...variables.map((variable) => queryVariable(variable, isOfOneGuest))] },
    panels: panelsOf(rows),
  }
}

const datasourceVariable = {
  name: 'datasource',
  label: 'Data source',
  type: 'datasource',
  query: 'prometheus',
  hide: 0,
  refresh: 1,
  regex: '',
  multi: false,
  includeAll: false,
}

/** Labels that the viewer chooses from: those of VMs, whether they run or not, and of guests. */
const choices: Readonly<Record<Variable, { readonly label: string; readonly query: string }>> = {
  namespace: { label: 'Namespace', query: 'label_values(kubevirt_vm_info, namespace)' },
  name: { label: 'VM', query: 'label_values(kubevirt_vm_info{namespace="$namespace"}, name)' },
  node: { label: 'Node', query: 'label_values(kubevirt_vmi_info, node)' },
}

function queryVariable(name: Variable, isSingle: boolean): object {
  const { label, query } = choices[name]
  return {
    name,
    label,
    type: 'query',
    datasource,
    definition: query,
    query: { query, refId: `choices-of-${name}` },
    hide: 0,
    refresh: 2,
    regex: '',
    sort: 1,
    multi: !isSingle,
    includeAll: !isSingle,
    // Series without the label count as those of all.
    ...(isSingle ? {} : { allValue: '.*', current: { selected: true, text: ['All'], value: ['$__all'] } }),
  }
}

function panelsOf(rows: Dashboard['rows']): readonly object[] {
  const panels: object[] = []
  let y = 0
  for (const { title, panels: own } of rows) {
    panels.push({ type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: columns, h: 1 }, panels: [] })
    y += 1
    let x = 0
    let rowHeight = 0
    for (const panel of own) {
      const [w, h] = [panel.kind === 'stat' ? widthOfStats(own) : wide, heights[panel.kind]]
      if (x + w > columns) {
        y += rowHeight
        x = 0
        rowHeight = 0
      }
      panels.push(renderPanel(panel, { x, y, w, h }))
      x += w
      rowHeight = Math.max(rowHeight, h)
    }
    y += rowHeight
  }
  return panels
}

function widthOfStats(panels: readonly Panel[]): number {
  return Math.floor(columns / panels.filter(({ kind }) => kind === 'stat').length)
}

function renderPanel(panel: Panel, gridPos: object): object {
  const { title, description, kind, unit, queries } = panel
  const reasons = [...new Set(queries.flatMap(({ mayBeEmpty }) => mayBeEmpty ?? []))]
  return {
    type: kind,
    title,
    description,
    datasource,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        // Shown where there is no data.
        ...(reasons.length === 0 ? {} : { noValue: reasons.join('; ') }),
        ...(kind === 'timeseries' ? { custom: { fillOpacity: 10, showPoints: 'never', spanNulls: false } } : {}),
        ...(kind === 'stat' ? coloured(panel) : {}),
        ...(unit === 'percentunit' ? { min: 0 } : {}),
      },
      overrides: [],
    },
    options: optionsOf(panel),
    targets: queries.map((query, index) => renderTarget(query, kind, letters.charAt(index))),
    ...(kind === 'table' ? { transformations: tableTransformations } : {}),
  }
}

function coloured({ thresholds: { warning, critical } = {} }: Panel): object {
  const steps = [
    { color: warning === undefined && critical === undefined ? 'text' : 'green', value: null },
    ...(warning === undefined ? [] : [{ color: 'yellow', value: warning }]),
    ...(critical === undefined ? [] : [{ color: 'red', value: critical }]),
  ]
  return { color: { mode: 'thresholds' }, thresholds: { mode: 'absolute', steps } }
}

function optionsOf({ kind, queries }: Panel): object {
  if (kind === 'timeseries')
    return {
      legend: { displayMode: 'table', placement: 'bottom', showLegend: true, calcs: ['lastNotNull', 'max'] },
      tooltip: { mode: 'multi', sort: 'desc' },
    }
  if (kind === 'table') return { showHeader: true }
  const hasNames = queries.some(({ legend }) => legend.includes('{{'))
  return {
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    textMode: hasNames ? 'value_and_name' : 'value',
    colorMode: 'value',
    graphMode: 'none',
    justifyMode: 'auto',
    orientation: 'auto',
  }
}

function renderTarget({ expr, legend }: Query, kind: Panel['kind'], refId: string): object {
  const isInstant = kind !== 'timeseries'
  return {
    refId,
    datasource,
    expr,
    legendFormat: legend,
    instant: isInstant,
    range: !isInstant,
    ...(kind === 'table' ? { format: 'table' } : {}),
  }
}

/** Labels become columns. The time of the query is the same in all rows. */
const tableTransformations = [
  { id: 'merge', options: {} },
  { id: 'organize', options: { excludeByName: { Time: true }, indexByName: {}, renameByName: {} } },
]
