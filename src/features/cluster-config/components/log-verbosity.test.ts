import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { verbosityOf, type LoggingComponent } from './log-verbosity.ts'

suite('verbosityOf()', () => {
  const logVerbosity = { virtHandler: 5, virtAPI: 0, nodeVerbosity: { loud: 8 } }
  const kubevirt = { metadata: {}, spec: { configuration: { developerConfiguration: { logVerbosity } } } }
  const rows: readonly (readonly [string, LoggingComponent, number | undefined])[] = [
    ['that of the component', { component: 'virtHandler', node: 'quiet' }, 5],
    ['that of its node, which wins', { component: 'virtHandler', node: 'loud' }, 8],
    ['none for another component', { component: 'virtController' }, undefined],
    ['none for 0, which is unset', { component: 'virtAPI' }, undefined],
  ]
  for (const [name, process, wanted] of rows) test(`is ${name}`, () => assert.equal(verbosityOf(kubevirt, process), wanted))

  test('is none without an object', () => assert.equal(verbosityOf(undefined, { component: 'virtHandler' }), undefined))
})
