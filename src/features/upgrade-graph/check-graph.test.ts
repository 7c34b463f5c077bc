import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { repeats, seed } from '#test/effort.ts'
import type { CatalogObject, ChannelEntry } from './catalog/catalog.ts'
import { checkGraph, type CheckedGraph } from './check-graph.ts'
import {
  compareNames,
  defineGraph,
  isReadable,
  leastSteps,
  waysBetween,
  type DefinedChannel,
  type DefinedGraph,
} from './definitions.fixture.ts'
import { upgradeLanes } from './paths/lanes.ts'
import { findRoute } from './paths/route.ts'
import { hopsTo, nextSteps, stepCounts } from './paths/ways.ts'
import { randomGraphs } from './random-graphs.fixture.ts'

const runs = { numRuns: repeats({ default: 500, long: 10_000 }), seed }
const stop = { text: '1.1.0', version: parseTolerant('1.1.0') ?? assert.fail() }
const maxHops = 1

interface Sample {
  readonly objects: readonly CatalogObject[]
  readonly graph: DefinedGraph
  readonly checked: CheckedGraph
}

/** The same graphs for all tests. They are too small to be shrunk. */
const samples: readonly Sample[] = fc.sample(randomGraphs, runs).map((objects) => ({
  objects,
  graph: defineGraph(objects),
  checked: checkGraph({ objects }, { requiredStops: [stop], maxHops }),
}))

/** Findings as `id channel versions`, in order. */
function keysOf(graph: CheckedGraph, ...ids: readonly string[]): readonly string[] {
  return graph.findings
    .filter(({ id }) => ids.includes(id))
    .map(({ id, channel = '', versions }) => [id, channel, ...versions.toSorted()].join(' '))
    .toSorted()
}

type Definition = (channel: DefinedChannel, graph: DefinedGraph) => readonly (readonly string[])[]

const nameOf = ({ name }: ChannelEntry): string => name
const each = (list: readonly ChannelEntry[]): readonly (readonly string[])[] => list.map((entry) => [entry.name])
const group = (names: readonly string[]): readonly (readonly string[])[] => (names.length === 0 ? [] : [names])

/** Versions without a way to the head, by what is the matter with them. */
function lost(
  channel: DefinedChannel,
  graph: DefinedGraph,
  kind: 'skipped-bridge' | 'dead-end' | 'unreachable-head',
): readonly (readonly string[])[] {
  const { entries, chosen, heads, isCircle } = channel
  const [head] = heads
  if (head === undefined || heads.length > 1 || isCircle) return []
  const kindOf = (name: string): string =>
    waysBetween(graph, chosen, name, head).length > 0
      ? ''
      : waysBetween(graph, entries, name, head).length > 0
        ? 'skipped-bridge'
        : chosen.some((target) => graph.isStep(name, target))
          ? 'unreachable-head'
          : 'dead-end'
  return group(entries.map(nameOf).filter((name) => kindOf(name) === kind))
}

/** The entry that OLM v0 chooses. */
function chosenFrom({ chosen }: DefinedChannel, graph: DefinedGraph, name: string): string | undefined {
  return chosen.find((target) => graph.isStep(name, target))?.name
}

/** Versions to which the choice of OLM leads back. */
function circles(channel: DefinedChannel, graph: DefinedGraph, names: readonly string[]): readonly (readonly string[])[] {
  const circleOf = (name: string): readonly string[] => {
    const way: string[] = []
    for (let at = chosenFrom(channel, graph, name); at !== undefined && way.length <= names.length; at = chosenFrom(channel, graph, at)) {
      way.push(at)
      if (at === name) return way
    }
    return []
  }
  const found = names.map(circleOf).filter((circle) => circle.length > 0)
  return [...new Map(found.map((circle) => [circle.toSorted().join(), circle])).values()]
}

const allNames = ['pkg.v0.9.0', 'pkg.v1.0.0', 'pkg.v1.0.1', 'pkg.v1.1.0', 'pkg.v2.0.0', 'pkg.v2.1.0']

const definitions: Readonly<Record<string, Definition>> = {
  'no-head': ({ heads }) => (heads.length === 0 ? [[]] : []),
  'multi-head': ({ heads }) => (heads.length > 1 ? [[]] : []),
  'replaces-missing': ({ entries, walk, isCircle, skipped, heads }) =>
    heads.length !== 1 || isCircle
      ? []
      : each(
          entries.filter(
            (entry) =>
              entry !== walk.at(-1) &&
              !skipped.includes(entry.name) &&
              entry.replaces !== '' &&
              entries.every(({ name }) => name !== entry.replaces),
          ),
        ),
  'bad-skiprange': ({ entries }) => entries.filter(({ skipRange = '' }) => !isReadable(skipRange)).map(() => []),
  'skipped-bridge': (channel, graph) => lost(channel, graph, 'skipped-bridge'),
  'dead-end': (channel, graph) => lost(channel, graph, 'dead-end'),
  'unreachable-head': (channel, graph) => lost(channel, graph, 'unreachable-head'),
  'upgrade-loop': (channel, graph) => circles(channel, graph, allNames),
  'skiprange-self': ({ entries }, { versionOf, isStep }) =>
    each(entries.filter(({ name, skipRange = '' }) => versionOf(name) !== undefined && isStep(name, { name: '', skipRange }))),
  'redundant-edge': ({ entries }) => each(entries.filter(({ replaces = '', skips = [] }) => replaces !== '' && skips.includes(replaces))),
  'version-decreases': ({ chosen }, graph) =>
    each(
      chosen.filter((target) => allNames.some((from) => graph.isStep(from, target) && (compareNames(graph, target.name, from) ?? 0) < 0)),
    ),
  'missing-required-stop': ({ chosen }, graph) => {
    const isBefore = (name: string): boolean => graph.versionOf(name) !== undefined && name < 'pkg.v1.1.0'
    const isAfter = (name: string): boolean => graph.versionOf(name) !== undefined && name > 'pkg.v1.1.0'
    return each(chosen.filter((target) => isAfter(target.name) && allNames.some((from) => isBefore(from) && graph.isStep(from, target))))
  },
}

suite('checkGraph() agrees with the definition of', () => {
  for (const [id, definition] of Object.entries(definitions)) {
    test(id, () => {
      let count = 0
      for (const { objects, graph, checked } of samples) {
        const wanted = graph.channels.flatMap((channel) =>
          definition(channel, graph).map((versions) => [id, channel.name, ...versions.toSorted()].join(' ')),
        )
        assert.deepEqual(keysOf(checked, id), wanted.toSorted(), JSON.stringify(objects))
        count += wanted.length
      }
      // A version that OLM v0 may choose is in the chain that leads to the head.
      assert.equal(count > 0, id !== 'unreachable-head')
    })
  }

  const property = (
    title: string,
    check: (graph: DefinedGraph, checked: CheckedGraph, objects: readonly CatalogObject[]) => void,
  ): void => {
    test(title, () => {
      for (const { objects, graph, checked } of samples) check(graph, checked, objects)
    })
  }

  property('cycle', (graph, checked) => {
    const wanted = graph.channels.filter(({ isCircle }) => isCircle).map(({ name }) => name)
    assert.deepEqual(
      checked.findings.filter(({ id }) => id === 'cycle').map(({ channel }) => channel),
      wanted,
    )
  })

  property('longest-path', (graph, checked) => {
    const wanted = graph.channels.filter(({ entries, chosen }) => {
      const hops = entries.map(({ name }) => leastSteps(graph, chosen, name, chosen[0]?.name ?? '-') ?? 0)
      return Math.max(...hops) > maxHops
    })
    assert.deepEqual(
      checked.findings.filter(({ id }) => id === 'longest-path').map(({ channel }) => channel),
      wanted.map(({ name }) => name),
    )
  })

  property('deprecated-head', ({ channels, isDeprecated }, checked, objects) => {
    const isWhole = JSON.stringify(objects).includes('"reference":{"schema":"olm.package"}')
    const wanted = channels.filter(
      ({ chosen: [head], name }) => head !== undefined && isDeprecated(head.name) && !isDeprecated(name) && !isWhole,
    )
    assert.deepEqual(
      keysOf(checked, 'deprecated-head'),
      wanted.map(({ name, chosen }) => `deprecated-head ${name} ${chosen[0]?.name}`),
    )
  })

  property('cross-channel-gap', (graph, checked) => {
    const wanted = graph.channels.filter(({ chosen: [head] }) => {
      if (head === undefined) return false
      const newer = graph.channels.filter(
        ({ chosen: [other] }) => other !== undefined && (compareNames(graph, other.name, head.name) ?? 0) > 0,
      )
      return (
        newer.length > 0 &&
        newer.every(
          ({ entries, chosen }) => entries.every(({ name }) => name !== head.name) && chosen.every((one) => !graph.isStep(head.name, one)),
        )
      )
    })
    assert.deepEqual(
      keysOf(checked, 'cross-channel-gap'),
      wanted.map(({ name, chosen }) => `cross-channel-gap ${name} ${chosen[0]?.name}`),
    )
  })

  property('next steps, distances and counts of OLM v0', (graph, checked) => {
    for (const scope of checked.scopes) {
      const channel = graph.channels.find(({ name }) => name === scope.channel) ?? assert.fail()
      const [next, counts] = [nextSteps(scope), stepCounts(scope)]
      for (const { name, rank } of scope.package.versions) {
        assert.equal(next[rank]?.name, chosenFrom(channel, graph, name), name)
        assert.equal(counts[rank], channel.chosen.filter((target) => graph.isStep(name, target)).length, name)
        for (const goal of scope.package.versions)
          assert.equal(hopsTo(scope, goal)[rank], leastSteps(graph, channel.chosen, name, goal.name), `${name} ${goal.name}`)
      }
    }
  })

  property('routes that jump over no required version', (graph, checked) => {
    const isJump = (from: string, to: string): boolean => {
      const [before, after] = [graph.versionOf(from), graph.versionOf(to)]
      return before !== undefined && after !== undefined && from < 'pkg.v1.1.0' && to > 'pkg.v1.1.0'
    }
    for (const scope of checked.scopes) {
      const { chosen } = graph.channels.find(({ name }) => name === scope.channel) ?? assert.fail()
      for (const from of scope.package.versions)
        for (const to of scope.package.versions.filter((version) => version !== from)) {
          const allowed = waysBetween(graph, chosen, from.name, to.name).filter((way) =>
            way.every((name, index) => index === 0 || !isJump(way[index - 1] ?? '', name)),
          )
          const { shortest } = findRoute(scope, from, to, checked.requiredStops)
          const least = Math.min(...allowed.map((way) => way.length))
          assert.equal(shortest?.length ?? Infinity, least, `${from.name} ${to.name}`)
          if (shortest !== undefined) assert.ok(allowed.some((way) => way.join() === shortest.join()))
        }
    }
  })

  property('lanes', (graph, checked) => {
    const wanted = graph.channels.flatMap((channel) =>
      channel.chosen.flatMap((target) =>
        allNames
          .filter((from) => graph.isStep(from, target))
          .map((from) => `${from} ${target.name} ${chosenFrom(channel, graph, from) === target.name}`),
      ),
    )
    const isPreferred = (lane: string): boolean => wanted.includes(`${lane} true`)
    const pairs = [...new Set(wanted.map((lane) => lane.replace(/ (true|false)$/, '')))]
    assert.deepEqual(
      upgradeLanes(checked.scopes)
        .map(({ from, to, isPreferred: taken }) => `${from} ${to} ${taken}`)
        .toSorted(),
      pairs.map((lane) => `${lane} ${isPreferred(lane)}`).toSorted(),
    )
  })
})

suite('OLM v1', () => {
  const candidatesOf = (graph: DefinedGraph): readonly string[] =>
    [...new Set(graph.channels.flatMap((channel) => channel.entries.map(nameOf)))].filter((name) => graph.versionOf(name) !== undefined)
  const best = (graph: DefinedGraph, names: readonly string[]): string | undefined =>
    names.toSorted((one, other) => Number(graph.isDeprecated(one)) - Number(graph.isDeprecated(other)) || (one > other ? -1 : 1))[0]

  test('goes to the newest successor of any channel, deprecated ones last, or stays', () => {
    for (const { objects, graph } of samples) {
      const [scope] = checkGraph({ objects }, { semantics: 'v1' }).scopes
      assert.ok(scope)
      const entries = graph.channels.flatMap((channel) => channel.entries)
      const candidates = candidatesOf(graph)
      const next = nextSteps(scope)
      for (const { name, rank } of scope.package.versions) {
        const successors = candidates.filter((to) => entries.some((entry) => entry.name === to && graph.isStep(name, entry)))
        const choice = best(graph, [...successors, ...candidates.filter((one) => one === name)])
        assert.equal(next[rank]?.name, choice === name ? undefined : choice, `${name} of ${JSON.stringify(objects)}`)
      }
    }
  })

  test('strands versions whose steps end before the newest one', () => {
    let [deadEnds, unreachable] = [0, 0]
    for (const { objects, graph } of samples) {
      const found = checkGraph({ objects }, { semantics: 'v1' })
      const candidates = candidatesOf(graph)
      const targets = graph.channels.flatMap((channel) => channel.entries).filter(({ name }) => candidates.includes(name))
      const head = best(graph, candidates)
      const members = [...new Set(graph.channels.flatMap(({ entries }) => entries.map(nameOf)))]
      const without = head === undefined ? [] : members.filter((name) => waysBetween(graph, targets, name, head).length === 0)
      const isDead = (name: string): boolean => targets.every((target) => !graph.isStep(name, target))
      const wanted = [
        ...group(without.filter(isDead)).map((names) => ['dead-end', '', ...names.toSorted()].join(' ')),
        ...group(without.filter((name) => !isDead(name))).map((names) => ['unreachable-head', '', ...names.toSorted()].join(' ')),
      ]
      assert.deepEqual(keysOf(found, 'dead-end', 'unreachable-head', 'skipped-bridge'), wanted, JSON.stringify(objects))
      deadEnds += without.filter(isDead).length
      unreachable += without.length
    }
    assert.ok(deadEnds > 0 && unreachable > deadEnds)
  })
})
