import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricNamesIn } from './metric-names.ts'

test('metricNamesIn() finds metrics and records, and nothing else', () => {
  for (const [expr, names] of [
    ['up', ['up']],
    ['sum(rate(a_total{b="c_total",d=~"e{2}"}[5m])) by (f)', ['a_total']],
    ['sum by (node, phase) (node:kubevirt_vmi_phase:sum{node=~"$node"})', ['node:kubevirt_vmi_phase:sum']],
    ['a * on (x, y) group_left (z) max by (x) (b == 1) or vector(0)', ['a', 'b']],
    ['histogram_quantile(0.95, sum by (le) (rate(h_bucket[$__rate_interval])))', ['h_bucket']],
    ['a / 1e3 > bool 0x1f unless a offset 5m', ['a']],
    ['topk(10, sum without (pod) (m)) > inf', ['m']],
    ["sum(ALERTS{alertname='It''s'})", ['ALERTS']],
    ['count_values("version", build) and on () c', ['build', 'c']],
    ['rate(a[5m:1m] offset 1d) @ 1609746000', ['a']],
  ] as const)
    assert.deepEqual(metricNamesIn(expr), names, expr)
})
