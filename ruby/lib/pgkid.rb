# IDs of kid, and with Rails the types of its columns: in Rails the line `gem 'pgkid'` in the Gemfile loads this.
# Programs that use ActiveRecord without Rails require 'pgkid', too.
require_relative 'pgkid/ids'

begin
  require 'active_support/lazy_load_hooks'
rescue LoadError
  # A program without ActiveRecord needs none of it.
else
  ActiveSupport.on_load(:active_record) { require 'pgkid/active_record' }
end
