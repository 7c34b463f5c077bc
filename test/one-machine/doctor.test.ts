import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import type { TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'

interface Finding {
  readonly check: string
  readonly state: string
  readonly detail: string
}

suite('steadyvm doctor of a cluster', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
  })
  const kubeconfig = (): string => machine.env['KUBECONFIG'] ?? ''
  after(() => machine[Symbol.asyncDispose]())

  test('finds what is installed, and nothing that is missing', async () => {
    const { code, stdout, stderr } = await machine.steadyvm('doctor', '--kubeconfig', kubeconfig(), '-o', 'json')
    assert.equal(code, 0, stderr)
    const findings = JSON.parse(stdout) as readonly Finding[]
    const detailOf = (check: string): string | undefined => findings.find((finding) => finding.check === check)?.detail
    assert.deepEqual(
      findings.filter(({ check, state }) => state !== 'ok' && check !== 'accelerator'),
      [],
    )
    assert.match(detailOf('version') ?? '', /^v1\.\d+/)
    assert.match(detailOf('installation') ?? '', /available$/)
    assert.match(detailOf('image volumes') ?? '', /mounted|copied/)
  })

  test('refuses an unknown context and a machine beside the cluster', async () => {
    for (const [flags, message] of [
      [['--context', 'none'], /none/],
      [['--kubeconfig', kubeconfig(), '--data-dir', machine.home], /use one/],
    ] as const) {
      const { code, stderr } = await machine.steadyvm('doctor', ...flags)
      assert.equal(code, 1)
      assert.match(stderr, message)
    }
  })
})
