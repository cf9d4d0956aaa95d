# Answers requests for sealed IDs, with the parts of Rails that do so.
require 'action_controller'
require 'active_record'
require 'active_support/all'
require 'rack/mock'
require 'tmpdir'

require_relative '../activerecord/kid64'

ActiveRecord::Base.establish_connection(ENV['DATABASE_URL'])

class Order < ActiveRecord::Base
end

class OrdersController < ActionController::Base
  def show
    render json: Order.find_by!("id = kid64_unseal(?, 'ord', true)", params[:id])
  end
end

routes = ActionDispatch::Routing::RouteSet.new
routes.draw do
  resources :orders, only: :show, constraints: { id: /ord_[0-7][0-9a-hjkmnp-tv-z]{25}/ }
end

# As in an application of Rails.
OrdersController.include(routes.url_helpers)
ActionDispatch::ExceptionWrapper.rescue_responses['ActiveRecord::RecordNotFound'] = :not_found
app = ActionDispatch::ShowExceptions.new(routes, ActionDispatch::PublicExceptions.new(Dir.tmpdir))
answer = lambda do |text|
  Rack::MockRequest.new(app).get("/orders/#{text}", 'action_dispatch.show_exceptions' => ActiveRecord.gem_version < Gem::Version.new('7.1') ? true : :all)
end

['%00', 'ord_%00', 'ord_01hwxnrzaefay8vvr14d2pf2d%00', '%C3%BC', 'ord_' * 100].each do |text|
  raise text unless answer.call(text).status == 404
end
Order.connection.select_values('SELECT encoded FROM texts UNION ALL SELECT encoded FROM wrong').each do |text|
  response = answer.call(text)
  puts "#{response.status} #{text} #{response.status == 200 ? JSON.parse(response.body)['id'] : '-'}"
end
