import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { evaluate } from '../compile.fixture.ts'
import { CelError } from '../errors.ts'

type Table = readonly (readonly [string, unknown])[]

const object = {
  list: [3, 1, 2],
  map: { x: 1, y: 2 },
  text: 'hello world',
  disks: [
    { name: 'a', order: 2 },
    { name: 'b', order: 1 },
  ],
}

function check(name: string, table: Table): void {
  suite(name, () => {
    for (const [source, expected] of table) test(source, () => assert.deepEqual(evaluate(source, object), expected))
  })
}

check('strings', [
  ["'hello'.charAt(1)", 'e'],
  ["'hello'.charAt(5)", ''],
  ["'hello'.indexOf('l')", 2n],
  ["'hello'.indexOf('l', 3)", 3n],
  ["'hello'.lastIndexOf('l')", 3n],
  ["'hello'.lastIndexOf('l', 2)", 2n],
  ["'HeLLo é'.lowerAscii()", 'hello é'],
  ["'hello é'.upperAscii()", 'HELLO é'],
  ["'aaa'.replace('a', 'b')", 'bbb'],
  ["'aaa'.replace('a', 'b', 2)", 'bba'],
  ["'ab'.replace('', '-')", '-a-b-'],
  ["'a,b,c'.split(',')", ['a', 'b', 'c']],
  ["'a,b,c'.split(',', 2)", ['a', 'b,c']],
  ["'abc'.split('')", ['a', 'b', 'c']],
  ["'hello'.substring(1, 3)", 'el'],
  ["'a😀b'.substring(1, 2)", '😀'],
  ["'a😀b'.indexOf('b')", 2n],
  ["'\\t x '.trim()", 'x'],
  ["['a', 'b'].join('-')", 'a-b'],
  ["'abc'.reverse()", 'cba'],
  ["'%s %d %.2f %x %b %%'.format(['a', 1, 2.5, 255, 5])", 'a 1 2.50 ff 101 %'],
  ["'%s'.format([[1, 2]])", '[1, 2]'],
  ["strings.quote('a\"b')", '"a\\"b"'],
  ["object.text.matches('^h.*d$') && matches('a', '[a-z]')", true],
  ["object.text.find('[a-z]+')", 'hello'],
  ["object.text.findAll('o')", ['o', 'o']],
  ["object.text.findAll('[a-z]', 2)", ['h', 'e']],
  ["'é' < '😀' && '😀' > '\\uffff'", true],
])

check('lists', [
  ['object.list.isSorted()', false],
  ['[3, 1].sum()', 4n],
  ['[1.5, 2.0].sum()', 3.5],
  ['[3, 1].min()', 1n],
  ["['a', 'c', 'b'].max()", 'c'],
  ['[1, 2, 1].indexOf(1)', 0n],
  ['[1, 2, 1].lastIndexOf(1)', 2n],
  ['[1, 2, 1].distinct()', [1n, 2n]],
  ['[[1], [2, 3]].flatten()', [1n, 2n, 3n]],
  ['[dyn([dyn(1), dyn([2])])].flatten(2)', [1n, 2n]],
  ['[3, 1, 2].sort()', [1n, 2n, 3n]],
  ['object.disks.sortBy(d, d.order).map(d, d.name)', ['b', 'a']],
  ['[1, 2, 3].slice(1, 3)', [2n, 3n]],
  ['[1, 2, 3].reverse()', [3n, 2n, 1n]],
  ['lists.range(3)', [0n, 1n, 2n]],
  ['[1, 2].first()', ['some', 1n]],
  ['[1, 2].last()', ['some', 2n]],
  ['sets.contains([1, 2], [2])', true],
  ['sets.equivalent([1, 2, 1], [2, 1])', true],
  ['sets.intersects([1], [2])', false],
])

check('times', [
  ["duration('1h30m').getMinutes()", 90n],
  ["duration('1.5s').getMilliseconds()", 1500n],
  ["string(duration('90m'))", '5400s'],
  ["timestamp('2020-01-02T03:04:05Z').getFullYear()", 2020n],
  ["timestamp('2020-01-02T03:04:05Z').getHours('-05:00')", 22n],
  ["timestamp('2020-01-02T03:04:05Z').getHours('America/New_York')", 22n],
  ["timestamp('2020-01-02T03:04:05Z').getDayOfWeek()", 4n],
  ["timestamp('2020-02-01T00:00:00Z').getDayOfYear()", 31n],
  ["string(timestamp('2020-01-01T01:00:00+01:00') + duration('1h'))", '2020-01-01T01:00:00Z'],
  ["timestamp('2020-01-02T00:00:00Z') - timestamp('2020-01-01T00:00:00Z') == duration('24h')", true],
  ['int(timestamp("1970-01-01T00:01:00Z"))', 60n],
])

check('conversions', [
  ['string(1.5) + string(1000000.0) + string(0.00001)', '1.51e+061e-05'],
  ['int(4.9) + int("-3")', 1n],
  ['uint(7)', '7u'],
  ["double('1.5')", 1.5],
  ["bool('true')", true],
  ["bytes('ä')", [0xc3, 0xa4]],
  ["string(b'\\xc3\\xa4')", 'ä'],
  ['type(1u) == uint && type(duration("1s")) == google.protobuf.Duration', true],
])

check("Kubernetes' own types", [
  ["quantity('1Gi') == quantity('1024Mi')", true],
  ["quantity('1Gi').compareTo(quantity('1G'))", 1n],
  ["quantity('1').add(quantity('500m')).asApproximateFloat()", 1.5],
  ["quantity('5').sub(2).asInteger()", 3n],
  ["quantity('1500m').isInteger()", false],
  ["isQuantity('10Ki') && !isQuantity('ten')", true],
  ["url('https://u:p@example.com:8080/a b?q=1&q=2#f').getHost()", 'example.com:8080'],
  ["url('https://[::1]:80/').getHostname()", '::1'],
  ["url('https://example.com:8080/a b?q=1').getEscapedPath()", '/a%20b'],
  ["url('https://example.com/?q=1&q=2').getQuery()", { q: ['1', '2'] }],
  ["isURL('/a') && isURL('https://a') && !isURL('../a') && !isURL('https://a:b:c/')", true],
  ["ip('127.0.0.1').isLoopback() && ip('fe80::1').isLinkLocalUnicast() && ip('::').isUnspecified()", true],
  ["ip('10.0.0.1').isGlobalUnicast() && ip('ff02::1').isLinkLocalMulticast() && ip('::1').family() == 6", true],
  ["string(ip('2001:db8:0:0::1'))", '2001:db8::1'],
  ["ip.isCanonical('2001:DB8::1')", false],
  ["isIP('01.2.3.4') || isIP('::ffff:1.2.3.4') || isIP('fe80::1%eth0') || isIP('1::2::3')", false],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", true],
  ["string(cidr('10.1.2.3/8').masked())", '10.0.0.0/8'],
  ["isCIDR('10.0.0.0/33') || isCIDR('10.0.0.0/08')", false],
  ["format.dns1123Label().validate('abc').hasValue()", false],
  ["format.named('dns1123Label').value().validate('A_').hasValue() && !format.named('no').hasValue()", true],
  ["semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1')) && semver('1.2.3-rc.2').isLessThan(semver('1.2.3-rc.10'))", true],
  ["semver('v1.02', true).minor()", 2n],
  ["isSemver('1.2') || isSemver('1.2.3-01')", false],
  ['math.greatest(1, 2.5)', 2.5],
  ["base64.decode(base64.encode(b'abc')) == b'abc'", true],
])

suite('functions that fail', () => {
  const failures: readonly [string, RegExp][] = [
    ["'abc'.charAt(4)", /index out of range: 4/],
    ["'abc'.substring(2, 1)", /invalid substring range. start: 2, end: 1/],
    ['[].min()', /min called on empty list/],
    ['[1].slice(0, 2)', /cannot slice\(0, 2\), list is length 1/],
    ["quantity('x' + object.text)", /quantities must match/],
    ['ip(object.text)', /unable to parse IP/],
    ['semver(object.text)', /No Major.Minor.Patch/],
    ['url(object.text)', /URL parse error/],
    ["object.text.matches('(' + object.text)", /missing closing \)/],
    ['duration(object.text)', /invalid duration/],
  ]
  for (const [source, message] of failures) {
    test(source, () =>
      assert.throws(
        () => evaluate(source, object),
        (error) => error instanceof CelError && message.test(error.message),
      ),
    )
  }

  for (const [source, message] of [
    ["'a'.matches('(')", /invalid matches argument/],
    ["duration('x')", /invalid duration argument/],
    ["timestamp('x')", /invalid timestamp argument/],
    ["int('x')", /type conversion error/],
  ] as const) {
    test(`${source} is refused before it is evaluated`, () => assert.throws(() => evaluate(source), message))
  }
})
