import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import { renderNodes, renderVms, type SortKey, type TopView, type VmUsage } from './render.ts'
import { nodeUsages } from './survey.ts'

const mebibyte = 2 ** 20
const vm = (name: string, cores: number, memory: number, rates: Partial<VmUsage['usage']> = {}, node = 'n1'): VmUsage => ({
  namespace: 'shop',
  name,
  node,
  cpus: 2,
  usage: {
    cores,
    residentBytes: memory * mebibyte,
    domainBytes: 128 * mebibyte,
    receivedBytes: 0,
    transmittedBytes: 0,
    readBytes: 0,
    writtenBytes: 0,
    reads: 0,
    writes: 0,
    ...rates,
  },
})
const vms = [vm('web', 0.5, 90, { receivedBytes: 312 }), vm('db', 0.012, 200, { writtenBytes: 5000, writes: 12.4 }, 'n2')]
const view = (changes: Partial<TopView> = {}): TopView => ({
  sortBy: 'name',
  isWide: false,
  headers: true,
  withNamespace: false,
  ...changes,
})

suite('renderVms()', () => {
  test("has kubectl's columns, and rates", () =>
    assert.deepEqual(
      renderVms(vms, view())
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
      [
        ['NAME', 'CPU(cores)', 'MEMORY(bytes)', 'RX/s', 'TX/s', 'READ/s', 'WRITE/s'],
        ['db', '12m', '200Mi', '0', '0', '0', '4.9Ki'],
        ['web', '500m', '90Mi', '312', '0', '0', '0'],
        [''],
      ],
    ))

  test('wide has shares, and what the guest says', () => {
    const [head = '', , web = ''] = renderVms(vms, view({ isWide: true, withNamespace: true })).split('\n')
    assert.match(head, /^NAMESPACE +NAME .*CPU\(%\) +GUEST USED +GUEST MEMORY +READS\/s +WRITES\/s +NODE$/)
    assert.match(web, /^shop +web .* 25% +<unknown> +128Mi +0 +0 +n1$/)
  })

  for (const [by, first] of [
    ['name', 'db'],
    ['cpu', 'web'],
    ['memory', 'db'],
    ['network', 'web'],
    ['disk', 'db'],
  ] as readonly (readonly [SortKey, string])[])
    test(`is sorted by ${by}`, () => assert.match(renderVms(vms, view({ sortBy: by, headers: false })), new RegExp(`^${first} `)))
})

test('renderNodes() has the sum of the guests of each node, and its share', () => {
  const nodeOf = (name: string): Node => ({ metadata: { name }, status: { allocatable: { cpu: '2', memory: '400Mi' } } }) as unknown as Node
  const text = renderNodes(nodeUsages([nodeOf('n1'), nodeOf('n2'), nodeOf('n3')], vms), view())
  assert.deepEqual(
    text.split('\n').map((line) => line.split(/ {2,}/).slice(0, 6)),
    [
      ['NAME', 'GUESTS', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)'],
      ['n1', '1', '500m', '25%', '90Mi', '23%'],
      ['n2', '1', '12m', '1%', '200Mi', '50%'],
      ['n3', '0', '0m', '0%', '0Mi', '0%'],
      [''],
    ],
  )
})
