import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translateAutoscaler } from './autoscaler-forms.ts'

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }
const memory = { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } }
const newer = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: { scaleTargetRef, maxReplicas: 3, metrics: [cpu, memory], behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
}

test('autoscaling/v1 has one metric, and keeps the others in annotations', () => {
  const older = translateAutoscaler(newer, 'autoscaling/v1') as typeof newer & { metadata: { annotations: Record<string, string> } }
  assert.deepEqual(older.spec, { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 80 })
  assert.deepEqual(Object.keys(older.metadata.annotations).toSorted(), [
    'autoscaling.alpha.kubernetes.io/behavior',
    'autoscaling.alpha.kubernetes.io/metrics',
  ])
})
test('a conversion to v1 and back changes nothing', () => {
  assert.deepEqual(translateAutoscaler(translateAutoscaler(newer, 'autoscaling/v1'), 'autoscaling/v2'), newer)
})
