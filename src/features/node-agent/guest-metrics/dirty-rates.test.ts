import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QmpConnection } from '#qemu/index.ts'
import { createDirtyRates } from './dirty-rates.ts'

const mebibyte = 1024 * 1024

test('the dirty rate of a guest is measured once a minute while it is asked for, and known meanwhile', async () => {
  let nowMs = 0
  let rate = 3
  const asked: string[] = []
  const qmp = {
    async execute(command: string) {
      asked.push(command)
      return { status: 'measured', 'dirty-rate': rate }
    },
  } as unknown as QmpConnection
  const rates = createDirtyRates<object>({ now: () => nowMs })
  const guest = {}
  const at = async (seconds: number): Promise<number | undefined> => {
    nowMs = seconds * 1000
    return rates.read(guest, qmp)
  }
  assert.equal(await at(0), undefined)
  assert.equal(await at(30), 3 * mebibyte)
  assert.equal(await at(45), 3 * mebibyte)
  rate = 7
  assert.equal(await at(60), 3 * mebibyte)
  assert.equal(await at(90), 7 * mebibyte)
  assert.deepEqual(asked, ['calc-dirty-rate', 'query-dirty-rate', 'calc-dirty-rate', 'query-dirty-rate'])
})

test('a measurement that has no result is given up after a minute, and another one begins', async () => {
  let nowMs = 0
  const asked: string[] = []
  const qmp = {
    async execute(command: string) {
      asked.push(command)
      return { status: 'unstarted' }
    },
  } as unknown as QmpConnection
  const rates = createDirtyRates<object>({ now: () => nowMs })
  const guest = {}
  for (nowMs = 0; nowMs <= 90_000; nowMs += 30_000) assert.equal(await rates.read(guest, qmp), undefined)
  assert.deepEqual(asked, ['calc-dirty-rate', 'query-dirty-rate', 'query-dirty-rate', 'calc-dirty-rate'])
})
