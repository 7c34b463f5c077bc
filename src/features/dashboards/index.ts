/**
 * Dashboards for Grafana, from one table: `dashboards` are its rows, `dashboardText` renders the
 * file that Grafana imports, `dashboardConfigMaps` the objects that a Grafana in the cluster finds.
 * `metricNamesIn` tells which metrics an expression reads. The metrics are those of the other
 * packages; no dashboard is installed by the operator.
 */
export { dashboardConfigMaps, dashboardText } from './config-maps.ts'
export type { Dashboard, Panel, Query } from './dashboard.ts'
export { dashboards } from './dashboards.ts'
export { metricNamesIn } from './metric-names.ts'
