import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Heap } from './heap.ts'

test('Heap returns items in ascending order, also when pushes and pops alternate', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer(), { nil: undefined })), (steps) => {
      const heap = new Heap<number>((a, b) => a - b)
      const model: number[] = []
      for (const step of steps) {
        if (step === undefined) assert.equal(heap.pop(), model.shift())
        else {
          heap.push(step)
          model.push(step)
          model.sort((a, b) => a - b)
        }
        assert.equal(heap.size, model.length)
        assert.equal(heap.peek(), model[0])
      }
    }),
  )
})
