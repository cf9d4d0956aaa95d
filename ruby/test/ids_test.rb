# The codecs compared with the vectors, which the original libraries printed, and with the documents of the layouts.
require 'minitest/autorun'
require 'pgkid/ids'
require_relative 'vectors'

ALL = [PgKid::Kid64, PgKid::Kid53, PgKid::Kid96, PgKid::Sno, PgKid::Flake, PgKid::Flax, PgKid::UuidV7].freeze
MILLION = 1_000_000

class Vectors < Minitest::Test
  # Checks that each form of an ID leads to each other one. Returns the ID.
  def assert_forms(type, hex, text)
    id = type.from_text(text)
    number = hex.to_i(16)
    assert_equal [id] * 4, [type.from_number(number), type.from_bytes([hex].pack('H*')),
                            type.from_bytes(type.to_bytes(id)), type.decode(type.encode(id))]
    assert_equal [text, number, hex], [type.to_text(id), type.to_number(id), type.to_bytes(id).unpack1('H*')]
    assert type.valid?(id)
    id
  end

  # Checks that an ID is between the bounds of its time, and that its neighbors in time are not.
  def assert_bounded(type, id, micros, unit)
    assert_equal micros, type.micros(id)
    assert_equal Time.at(0, micros, :microsecond), type.time(id)
    number, (floor, ceil) = type.to_number(id), bounds(type, micros)
    assert_operator floor, :<=, number
    assert_operator number, :<=, ceil
    before, after = bounds(type, micros - 1), bounds(type, micros + unit)
    assert before[1] < number || before[0] == before[1]
    assert number < after[0] || after[0] == after[1]
  end

  def bounds(type, micros)
    [type.floor(micros), type.ceil(micros)].map { |id| type.to_number(id) }
  end

  def test_kid64
    vectors('kid64').each do |v|
      id = assert_forms(PgKid::Kid64, v['hex'], v['text64'])
      micros = (v['a_mega'].to_i * MILLION + v['b_sec'].to_i) * MILLION + v['decoded_c_micro'].to_i
      assert_bounded(PgKid::Kid64, id, micros, 1024)
      assert_equal v['hex'].to_i(16) >> 14 << 14, PgKid::Kid64.to_number(PgKid::Kid64.floor(micros))
      assert_equal({ sequence: v['seq'].to_i }, PgKid::Kid64.parts(id))
      # As a bigint column has it.
      assert_equal id, PgKid::Kid64.from_number([v['hex']].pack('H*').unpack1('q>'))
    end
  end

  def test_kid96
    vectors('kid96').each do |v|
      bits = v['drift_bits'].to_i
      type = PgKid.kid96(neighborhood: bits)
      id = assert_forms(type, v['hex'], v['text64'])
      micros = (v['dec_a'].to_i * MILLION + v['dec_b'].to_i) * MILLION + v['dec_c'].to_i
      assert_equal micros, type.micros(id)
      assert_equal({ node: v['node_hex'].to_i(16), sequence: v['dec_seq'].to_i }, type.parts(id))
      local = PgKid::Kid64.to_number(type.local(id))
      assert_equal PgKid::Kid64.to_number(PgKid::Kid64.floor(micros)) | v['dec_seq'].to_i, local
      floor, ceil = bounds(type, micros)
      assert_operator floor, :<=, type.to_number(id)
      assert_operator type.to_number(id), :<=, ceil
      before = micros - (MILLION << bits)
      assert before.negative? || bounds(type, before)[1] < floor
      assert_equal micros, PgKid::Kid96.micros(id) if bits == 8
    end
  end

  def test_sno
    vectors('sno').each do |v|
      id = assert_forms(PgKid::Sno, v['hex'], v['text'])
      assert_bounded(PgKid::Sno, id, v['unix_ns'].to_i / 1000, 4000)
      assert_equal({ tick: v['tick_tock'] == '1', meta: v['meta'].to_i, partition: v['partition'].to_i,
                     sequence: v['sequence'].to_i }, PgKid::Sno.parts(id))
    end
    vectors('sno_time').each do |v|
      id = assert_forms(PgKid::Sno, v['hex'], v['text'])
      assert_equal v['unix_ns'].to_i / 1000, PgKid::Sno.micros(id)
      floor = PgKid::Sno.floor(v['in_unix_ns'].to_i / 1000)
      assert_equal v['hex'].to_i(16) >> 41 << 41, PgKid::Sno.to_number(floor)
    end
  end

  def test_flake
    vectors('flake').each do |v|
      type = PgKid.flake(epoch: v['epoch_ms'].to_i * 1000)
      id = assert_forms(type, v['hex'], v['dec'])
      assert_equal v['dec'].to_i, id
      assert_bounded(type, id, v['unix_ms'].to_i * 1000, 1000)
      assert_equal({ datacenter: v['datacenter'].to_i, worker: v['worker'].to_i, sequence: v['counter'].to_i },
                   type.parts(id))
      assert_equal [id, id], [type.from_text("0x#{v['hex']}"), type.from_text("0X#{v['hex'].upcase}")]
    end
  end

  def test_flax
    vectors('flax').each do |v|
      id = assert_forms(PgKid::Flax, v['hex'], v['text16'])
      assert_bounded(PgKid::Flax, id, v['unix_ms'].to_i * 1000, 1000)
      assert_equal({ random: v['random56_hex'].to_i(16) }, PgKid::Flax.parts(id))
    end
  end

  def test_kid53
    vectors('kid53').each do |v|
      id = assert_forms(PgKid::Kid53, format('%016x', v['id'].to_i), v['id'])
      assert_bounded(PgKid::Kid53, id, v['unix_ms'].to_i * 1000, 1000)
      assert_equal({ sequence: v['sequence'].to_i }, PgKid::Kid53.parts(id))
      assert_equal v['base32'], PgKid::Kid53.encode(id)
    end
  end

  def test_uuidv7
    vectors('uuidv7').each do |v|
      id = assert_forms(PgKid::UuidV7, v['hex'], v['text'])
      assert_bounded(PgKid::UuidV7, id, v['unix_ms'].to_i * 1000, 1000)
      parts = PgKid::UuidV7.parts(id)
      assert_equal [7, 2], parts.values_at(:version, :variant)
      rest = parts[:fraction] << 64 | parts[:count] << 58 | parts[:random]
      assert_equal v['hex'].to_i(16) & ((1 << 80) - 1) & ~(15 << 76 | 3 << 62), rest
    end
  end

  # Of each number of so many bits there is a type.
  def test_base32
    types = ALL.to_h { |type| [type.bits, type] }
    rows = vectors('base32').select { |v| types.key?(v['bits'].to_i) }
    assert_operator rows.size, :>, 100
    rows.each do |v|
      type, number = types[v['bits'].to_i], v['hex'].to_i(16)
      assert_equal v['text'], type.encode(type.from_number(number))
      assert_equal number, type.to_number(type.decode("a_b_#{v['text'].upcase}", 'a_b'))
    end
  end

  def test_typeid
    vectors('typeid').each do |v|
      assert_equal v['typeid'], PgKid::UuidV7.encode(v['uuid'], v['prefix'])
      assert_equal v['uuid'], PgKid::UuidV7.decode(v['typeid'], v['prefix'])
    end
    vectors('typeid_invalid').each do |v|
      assert_raises(ArgumentError, v['what']) { PgKid::UuidV7.decode(v['typeid'], v['typeid'].rpartition('_')[0]) }
    end
  end
end

class Limits < Minitest::Test
  # The instants are those in the heads of src/core/types.
  ENDS = { PgKid::Kid53 => ['2020-01-01T00:00', '2089-09-06T15:47:35.551999'],
           PgKid::Sno => ['2010-01-01T00:00', '2079-09-07T15:47:35.551999'],
           PgKid::Flake => ['1970-01-01T00:00', '2109-05-15T07:35:11.103999'],
           PgKid::Flax => ['2015-01-01T00:00', '2049-11-03T19:53:47.775999'] }.freeze

  def test_ends_of_the_ranges
    ENDS.each do |type, texts|
      first, last = texts.map { |text| DateTime.parse("#{text}Z").to_time }
      micro = Rational(1, MILLION)
      greatest = (1 << type.bits) - 1
      numbers = [type.floor(first), type.ceil(first - micro), type.ceil(last), type.floor(last + micro),
                 type.floor(-Float::INFINITY), type.ceil(Float::INFINITY)].map { |id| type.to_number(id) }
      assert_equal [0, 0, greatest, greatest, 0, greatest], numbers
      refute_equal 0, type.to_number(type.ceil(first))
      refute_equal greatest, type.to_number(type.floor(last))
      assert_equal first, type.time(type.from_number(0))
    end
  end

  def test_before_1970_and_after_the_range
    assert_equal ['.' * 11] * 2, [PgKid::Kid64.floor(-1), PgKid::Kid64.ceil(-1)]
    assert_equal ['.' * 16] * 2, [PgKid::Kid96.floor(-1), PgKid::Kid96.ceil(-1)]
    lowest = '00000000-0000-7000-8000-000000000000'
    assert_equal [lowest] * 2, [PgKid::UuidV7.floor(-1), PgKid::UuidV7.ceil(-1)]
    assert_equal '00000000-0000-7fff-bfff-ffffffffffff', PgKid::UuidV7.ceil(0)
    last = (1 << 20) * MILLION * MILLION
    assert_equal ["#{'z' * 10}w"] * 2, [PgKid::Kid64.floor(last), PgKid::Kid64.ceil(last)]
    assert_equal ['z' * 16] * 2, [PgKid::Kid96.floor(last), PgKid::Kid96.ceil(last)]
    greatest = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
    assert_equal [greatest] * 2, [PgKid::UuidV7.floor(1000 << 48), PgKid::UuidV7.ceil(1000 << 48)]
    refute_equal greatest, PgKid::UuidV7.floor((1000 << 48) - 1)
  end

  # Whatever its bits are, an ID has each form, and these sort as the numbers do.
  def test_random_bits
    some = Random.new(60)
    ALL.each do |type|
      numbers = [0, 1, (1 << type.bits) - 1, 1 << type.bits - 1]
      numbers += Array.new(500) { some.rand(1 << some.rand(1..type.bits)) }
      ids = numbers.map { |number| type.from_number(number) }
      assert_equal numbers, ids.map { |id| type.to_number(id) }
      assert_equal ids, ids.map { |id| type.from_bytes(type.to_bytes(id)) }
      assert_equal ids, ids.map { |id| type.decode(type.encode(id, 'ord'), 'ord') }
      in_order = numbers.sort.map { |number| type.from_number(number) }
      assert_equal in_order, ids.sort { |one, other| type.compare(one, other) }
      assert_equal in_order, ids.sort
      assert_equal in_order, ids.sort_by { |id| type.encode(id) }
      assert_equal in_order, ids.sort_by { |id| type.to_bytes(id) }
    end
  end

  # An ID is within the bounds of its time, and those of the neighboring microseconds tile time.
  def test_random_times
    some = Random.new(61)
    ALL.each do |type|
      first = type.respond_to?(:local) || type.bits == 64 ? 0 : type.micros(type.floor(0))
      500.times do
        micros = first + some.rand(30 * 365 * 86_400 * MILLION)
        floor, ceil, after = type.floor(micros), type.ceil(micros), type.floor(micros + 1)
        assert_operator floor, :<, ceil
        assert_includes 0...256 * MILLION, micros - type.micros(floor)
        next if after == floor
        assert_operator after, :>, ceil
        assert_equal type.micros(after), micros + 1
      end
    end
  end

  def test_types_cannot_be_changed
    ALL.each { |type| assert type.frozen?, type.name }
  end

  def test_times
    at = 1_795_240_305_097_280
    time = Time.at(0, at, :microsecond)
    [time, time.getlocal('+09:00'), time.to_datetime].each { |one| assert_equal at, PgKid::Ids::Times.micros(one) }
    assert_equal '.6.nef3Mk..', PgKid::Kid64.floor(time)
    assert_equal [1, -1], [1999, -1].map { |nanos| PgKid::Ids::Times.micros(Time.at(0, nanos, :nanosecond)) }
    assert PgKid::Kid64.time('.6.nef3Mk.3').utc?
    ['2026-01-01', nil, Date.new(2026, 1, 1), 1.5, Float::NAN].each do |wrong|
      assert_raises(ArgumentError) { PgKid::Kid64.floor(wrong) }
    end
  end

  def assert_no_ids(type, values, method = :from_text, *arguments)
    values.each { |value| assert_raises(PgKid::InvalidId, value.inspect) { type.send(method, value, *arguments) } }
  end

  def test_what_is_no_text
    [PgKid::Flax, PgKid::Kid64, PgKid::Kid96, PgKid::Sno].each do |type|
      good = type.from_number((1 << type.bits) - 1)
      wrong = ['', good[0..-2], good + good[0], "#{good}\n", " #{good[1..]}", "é#{good[1..]}", "/#{good[1..]}", nil, 5,
               "\u0661#{good[1..]}", "#{good[0..2]}=#{good[4..]}", good.encode('UTF-16LE'), "\xff#{good[1..]}"]
      assert_no_ids(type, wrong)
      wrong.each { |value| refute type.valid?(value), value.inspect }
      assert type.valid?(good)
    end
    assert_no_ids(PgKid::Kid64, ["#{'.' * 10}x"])
    # Texts of test/unit/flake_test.cpp, and digits of other scripts.
    assert_no_ids(PgKid::Flake, ['', '-1', '+1', ' 1', '1 ', '12a', '0x', '0x1g', 'x1', '01', '00', '1_0', "\u0661",
                                 "1\n", '18446744073709551616', '0x10000000000000000', 5])
    assert_equal [255, 0], [PgKid::Flake.from_text('0XfF'), PgKid::Flake.from_text('0')]
    assert_no_ids(PgKid::Kid53, ['9007199254740992', '-1', '0x1'])
    uuid = '01a20168-9de7-7651-83ac-60dca3b8f7f5'
    assert_no_ids(PgKid::UuidV7, ['', 'not-a-uuid', "#{uuid}\n", uuid.delete('-'), uuid.sub('0', 'g')])
    assert_equal uuid, PgKid::UuidV7.from_text(uuid.upcase)
    assert_equal [true, false, false], [uuid, uuid.upcase, 5].map { |value| PgKid::UuidV7.valid?(value) }
    # A UUID of another version has no time.
    assert_equal [nil, nil], %i[time micros].map { |name| PgKid::UuidV7.send(name, uuid.sub('-7', '-4')) }
    assert_nil PgKid::UuidV7.time('01a20168-9de7-7651-03ac-60dca3b8f7f5')
  end

  def test_what_is_no_base32
    assert_no_ids(PgKid::Kid64, ['usr_00w1knarhfg01', 'ord_00w1knarhfg010', 'ord_00w1knarhfg0u', 'ord_g000000000000',
                                 '00w1knarhfg01', "ord_00w1\u212anarhfg01", 'ord_00w1_narhfg01', 'ord_+0w1knarhfg01',
                                 'ord_ 0w1knarhfg01', 'ORD_00w1knarhfg01', 5, 'ord_x'.encode('UTF-16LE')],
                  :decode, 'ord')
    assert_no_ids(PgKid::Kid64, ['ord_00w1knarhfg01'], :decode)
    assert_equal '.6.nef3Mk.3', PgKid::Kid64.decode('ord_00W1KNARHFG01', 'ord')
    ['Ord', '_ord', 'ord_', 'or-d', 'o' * 64, "ord\n", 'ö', nil].each do |prefix|
      assert_raises(ArgumentError, prefix.inspect) { PgKid::Kid64.encode('.' * 11, prefix) }
    end
    assert_equal "#{'o' * 63}_#{'0' * 13}", PgKid::Kid64.encode('.' * 11, 'o' * 63)
  end

  def test_what_is_out_of_range
    assert_no_ids(PgKid::Kid64, [1 << 64, (-1 << 63) - 1, '1', 1.0], :from_number)
    assert_equal PgKid::Kid64.from_number(1 << 63), PgKid::Kid64.from_number(-1 << 63)
    # Only a number of 64 bits can be that of a bigint column.
    ALL.each { |type| assert_no_ids(type, [1 << type.bits, type.bits == 64 ? -1 << 64 : -1], :from_number) }
    assert_no_ids(PgKid::Kid64, ["\0" * 9, "\0" * 7, nil], :from_bytes)
    assert_no_ids(PgKid::Kid53, ["\0\x20\0\0\0\0\0\0"], :from_bytes)
    %i[to_text to_number to_bytes encode time micros parts].each do |name|
      ALL.each { |type| assert_no_ids(type, [nil, '', -1, 'x'], name) }
    end
    error = assert_raises(PgKid::InvalidId) { PgKid::Kid64.time('12345') }
    assert_equal 'invalid input syntax for type kid64: "12345"', error.message
    [11, -1, 1.5, nil].each { |bits| assert_raises(ArgumentError) { PgKid.kid96(neighborhood: bits) } }
    [-1000, 1, 1000 << 42].each { |epoch| assert_raises(ArgumentError) { PgKid.flake(epoch: epoch) } }
    assert_equal 1_420_070_400_000_000, PgKid.flake(epoch: Time.utc(2015)).micros(0)
  end
end

class Readme < Minitest::Test
  # A comment says what its line returns.
  def test_each_line_returns_what_it_says
    readme = File.read("#{Gem.loaded_specs['pgkid'].full_gem_path}/README.md")
    code = readme[/```ruby\n(require 'pgkid'\n.*?)```/m, 1]
    scope = binding
    lines = code.lines.map { |line| line.chomp.split(/ +# /) }
    assert_operator lines.count { |_line, said| said }, :>, 10
    lines.each do |line, said|
      found = scope.eval(line.to_s)
      assert_equal said, found.inspect, line if said
    end
  end
end
