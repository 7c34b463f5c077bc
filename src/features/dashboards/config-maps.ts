import type { ConfigMap } from '#api/core/v1/config-map.ts'
import { systemLabels } from '#api/access/managed.ts'
import { dashboards } from './dashboards.ts'
import { grafanaDashboard } from './grafana.ts'

/** The label by which a Grafana in the cluster finds dashboards: that of its Helm chart. */
const label = { grafana_dashboard: '1' } as const

/** Returns a ConfigMap for each dashboard, for the namespace that Grafana looks in. Pure. */
export function dashboardConfigMaps(): readonly ConfigMap[] {
  return dashboards.map((dashboard) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `steadyvm-dashboard-${dashboard.name}`, labels: { ...systemLabels, ...label } },
    data: { [`steadyvm-${dashboard.name}.json`]: dashboardText(dashboard) },
  }))
}

/** Returns the file that Grafana imports. Pure. */
export function dashboardText(dashboard: Parameters<typeof grafanaDashboard>[0]): string {
  return `${JSON.stringify(grafanaDashboard(dashboard), null, 2)}\n`
}
