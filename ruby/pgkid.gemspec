Gem::Specification.new do |spec|
  spec.name = 'pgkid'
  spec.version = '1.0.0'
  spec.summary = 'kid for Ruby: k-ordered IDs of PostgreSQL as text, numbers, bytes and times, and in ActiveRecord'
  spec.authors = ['the kid authors']
  spec.license = 'PostgreSQL'
  spec.required_ruby_version = '>= 2.7'
  spec.files = Dir['lib/**/*.rb'] + %w[README.md LICENSE]
end
