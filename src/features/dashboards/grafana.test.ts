import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dashboardConfigMaps, dashboardText } from './config-maps.ts'
import type { Dashboard, Panel } from './dashboard.ts'
import { dashboards } from './dashboards.ts'

interface Rendered {
  readonly uid: string
  readonly schemaVersion: number
  readonly templating: { readonly list: readonly { readonly name: string }[] }
  readonly panels: readonly {
    readonly type: string
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly instant: boolean }[]
    readonly fieldConfig?: { readonly defaults: { readonly unit: string } }
  }[]
}

const rendered = (dashboard: Dashboard): Rendered => JSON.parse(dashboardText(dashboard)) as Rendered
const panelsIn = ({ rows }: Dashboard): readonly Panel[] => rows.flatMap(({ panels }) => panels)

suite('dashboards in the format of Grafana', () => {
  for (const dashboard of dashboards) {
    test(`${dashboard.name} can be imported from Grafana 10 on`, () => {
      const { uid, schemaVersion, templating, panels } = rendered(dashboard)
      assert.equal(uid, `steadyvm-${dashboard.name}`)
      assert.equal(schemaVersion, 38)
      // Numeric ids belong to a server.
      assert.doesNotMatch(dashboardText(dashboard), /"id": \d/)
      assert.deepEqual(
        templating.list.map(({ name }) => name),
        ['datasource', ...dashboard.variables],
      )
      const shown = panels.filter(({ type }) => type !== 'row')
      assert.deepEqual(
        shown.map(({ title, targets = [] }) => [title, targets.map(({ expr }) => expr)]),
        panelsIn(dashboard).map(({ title, queries }) => [title, queries.map(({ expr }) => expr)]),
      )
      for (const { title, type, targets = [], fieldConfig } of shown) {
        assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
        for (const { instant } of targets) assert.equal(instant, type !== 'timeseries', title)
        assert.notEqual(fieldConfig?.defaults.unit ?? '', '', title)
      }
    })

    test(`no two panels of ${dashboard.name} overlap, and none leaves the grid`, () => {
      const { panels } = rendered(dashboard)
      for (const [index, { title, gridPos: a }] of panels.entries()) {
        assert.ok(a.x >= 0 && a.x + a.w <= 24, title)
        for (const { title: other, gridPos: b } of panels.slice(index + 1))
          assert.ok(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y, `${title}, ${other}`)
      }
    })

    test(`the queries of ${dashboard.name} use the variables that it has`, () => {
      const used = new Set(
        panelsIn(dashboard).flatMap(({ queries }) =>
          queries.flatMap(({ expr }) => expr.match(/\$[a-z]+/g)?.map((word) => word.slice(1)) ?? []),
        ),
      )
      used.delete('__rate_interval')
      assert.deepEqual([...used].toSorted(), [...dashboard.variables].toSorted())
    })
  }

  test('names and titles are unique, and every panel is described', () => {
    assert.equal(new Set(dashboards.map(({ name }) => name)).size, dashboards.length)
    for (const dashboard of dashboards)
      for (const { title, description, queries } of panelsIn(dashboard)) {
        assert.match(description, /\.$/, title)
        assert.ok(queries.length > 0, title)
      }
  })

  test('ConfigMaps have the label by which Grafana finds them', () => {
    for (const { metadata, data = {} } of dashboardConfigMaps()) {
      assert.equal(metadata.labels?.['grafana_dashboard'], '1')
      assert.match(metadata.name ?? '', /^steadyvm-dashboard-[a-z-]+$/)
      for (const text of Object.values(data)) assert.ok((JSON.parse(text) as Rendered).panels.length > 5)
    }
  })
})
