import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { findPrometheus } from './find-prometheus.ts'
import { monitoringObjects, type MonitoringOptions } from './monitoring-objects.ts'
import { prometheusConfig } from './prometheus-config.ts'

const options: MonitoringOptions = {
  release: { version: 'v1.2.3', root: '/release' },
  program: '/usr/bin/prometheus',
  folder: '/home/monitoring',
  address: '127.0.0.1:7444',
  configuration: 'one',
  node: 'node-1',
}

suite('Prometheus of machine mode', () => {
  test('may read metrics, and nothing else', () => {
    const objects = monitoringObjects(options).map(({ object }) => object)
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ['ServiceAccount', 'ClusterRoleBinding', 'Deployment'],
    )
    assert.deepEqual((objects[1] as unknown as { roleRef: object }).roleRef, {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:monitoring',
    })
  })

  test('is one pod on the first node, which a changed configuration replaces', () => {
    const podOf = (changed: Partial<MonitoringOptions>): string =>
      JSON.stringify((monitoringObjects({ ...options, ...changed }).at(-1)?.object as Deployment | undefined)?.spec.template)
    assert.equal(podOf({}), podOf({}))
    assert.notEqual(podOf({}), podOf({ configuration: 'two' }))
    assert.match(podOf({}), /"nodeSelector":\{"kubernetes.io\/hostname":"node-1"\}/)
    assert.match(podOf({}), /"serviceAccountToken":\{"path":"token"/)
  })

  test('sends its token by HTTPS, and waits for a scrape as long as there is time', () => {
    const config = (scrapeSeconds: number): string =>
      JSON.stringify(prometheusConfig({ apiPort: 7443, caFile: '/ca', ruleFile: 'rules', scrapeSeconds }))
    assert.doesNotMatch(config(30), /"scheme":"http"/)
    assert.match(config(30), /"scrape_interval":"30s".*"scrape_timeout":"10s"/)
    // Prometheus refuses a time-out that is longer than the interval.
    assert.match(config(2), /"scrape_interval":"2s".*"scrape_timeout":"2s"/)
  })

  test('is found in PATH only where it can be executed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
    try {
      const file = join(folder, 'prometheus')
      await writeFile(file, '#!/bin/sh\n', { mode: 0o644 })
      assert.notEqual(findPrometheus(folder), file)
      await chmod(file, 0o755)
      assert.equal(findPrometheus(`/nowhere:${folder}`), file)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
