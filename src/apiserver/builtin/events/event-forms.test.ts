import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translateEvent } from './event-forms.ts'

const core = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'n' },
  involvedObject: { kind: 'Pod', name: 'p' },
  reason: 'Started',
  message: 'It runs',
  source: { component: 'kubelet' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:00Z',
  count: 2,
  type: 'Normal',
  reportingComponent: 'kubelet',
}

test('events.k8s.io renames fields of an event', () => {
  assert.deepEqual(translateEvent(core, 'events.k8s.io/v1'), {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'n' },
    regarding: { kind: 'Pod', name: 'p' },
    reason: 'Started',
    note: 'It runs',
    deprecatedSource: { component: 'kubelet' },
    deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
    deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
    deprecatedCount: 2,
    type: 'Normal',
    reportingController: 'kubelet',
  })
})
test('a conversion and back changes nothing', () => {
  assert.deepEqual(translateEvent(translateEvent(core, 'events.k8s.io/v1'), 'v1'), core)
})
